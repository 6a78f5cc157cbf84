import { useMe } from '#api/me.ts'
import { SecretOnce } from '#components/secret-once.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'

export interface InvitationLinkProps {
  readonly link: string
  onDone(): void
}

/** The link of an invitation that is not mailed. It is shown once. */
export function InvitationLink({ link, onDone }: InvitationLinkProps) {
  const { sends_mail: sendsMail } = useMe()
  return (
    <>
      <SecretOnce secret={link} label={t('settings.members.linkLabel')} />
      <p className="mt-4 text-sm text-soft">
        {sendsMail ? t('settings.members.linkProves') : t('settings.members.linkNeedsAccount')}
      </p>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          {t('settings.members.done')}
        </Button>
      </DialogActions>
    </>
  )
}
