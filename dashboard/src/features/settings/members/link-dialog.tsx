import { useMe } from '#api/me.ts'
import { SecretOnce } from '#components/secret-once.tsx'
import { formatDateTime } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { useVouches, type LinkToGive } from './use-link-to-give.ts'

export interface LinkDialogProps {
  /** Null while there is no link to show. */
  readonly link: LinkToGive | null
  onClose(): void
}

/** The link of an invitation that is not mailed. It is shown once. */
export function LinkDialog({ link, onClose }: LinkDialogProps) {
  const isSetUp = link?.isSetUp === true
  const hint =
    link === null
      ? {}
      : { description: t('settings.members.linkHint', { when: formatDateTime(link.expiresAt) }) }
  return (
    <Dialog
      open={link !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t(isSetUp ? 'settings.members.setUpLinkTitle' : 'settings.members.linkTitle')}
      {...hint}
      closeLabel={t('common.close')}
    >
      {link !== null && <Link link={link} onDone={onClose} />}
    </Dialog>
  )
}

function Link({ link, onDone }: { readonly link: LinkToGive; readonly onDone: () => void }) {
  const hint = useHint(link)
  const label = t(link.isSetUp ? 'settings.members.setUpLinkLabel' : 'settings.members.linkLabel')
  return (
    <>
      <p className="mb-2 text-sm font-medium">{label}</p>
      <SecretOnce secret={link.url} label={label} />
      <p className="mt-4 text-sm text-soft">{hint}</p>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          {t('settings.members.done')}
        </Button>
      </DialogActions>
    </>
  )
}

/** What the person who receives the link can do with it. */
function useHint({ isSetUp, email }: LinkToGive): string {
  const vouches = useVouches()
  const { sends_mail: sendsMail } = useMe()
  if (isSetUp) return t('settings.members.setUpLinkHint', { email: email ?? '' })
  if (sendsMail) return t('settings.members.linkProves')
  if (!vouches) return t('settings.members.linkNeedsAccount')
  return email === null
    ? t('settings.members.linkWithoutEmail')
    : t('settings.members.linkHasAccount', { email })
}
