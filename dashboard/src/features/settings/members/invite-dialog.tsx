import { useState, type FormEvent } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ErrorText } from '#components/error-text.tsx'
import { useDraft } from '#components/use-draft.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { useLinkToGive, useVouches, type LinkToGive } from './use-link-to-give.ts'

type Invited = OutputOf<'invite_member'>
type InvitedRole = 'admin' | 'editor' | 'viewer'

export interface InviteDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** The form of an invitation, then its link if the invitation is not mailed. */
export function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
  const [link, setLink] = useState<LinkToGive | null>(null)
  const linkToGive = useLinkToGive()
  async function done({ link: url, ...invited }: Invited): Promise<void> {
    if (url === null)
      notify({ title: t('settings.members.invited', { email: invited.email ?? '' }) })
    else setLink(await linkToGive({ ...invited, link: url }))
    onOpenChange(false)
  }
  return (
    <>
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={t('settings.members.inviteTitle')}
        description={t('settings.members.inviteHint')}
        closeLabel={t('common.close')}
      >
        <InviteForm onDone={done} onCancel={() => onOpenChange(false)} />
      </Dialog>
      <LinkDialog link={link} onClose={() => setLink(null)} />
    </>
  )
}

interface InviteFormProps {
  onDone(invited: Invited): Promise<void>
  onCancel(): void
}

/** How the person gets in: a mail, a set-up link, or an account that an operator creates first. */
function useEmailHint(): string {
  const vouches = useVouches()
  const me = useMe()
  if (me.sends_mail) return t('settings.members.emailHint')
  if (vouches) return t('settings.members.emailHintVouched')
  return me.accepts_passwords
    ? t('settings.members.emailHintWithoutMail')
    : t('settings.members.emailHint')
}

const blank: { email: string; role: InvitedRole } = { email: '', role: 'editor' }

function InviteForm({ onDone, onCancel }: InviteFormProps) {
  const workspace = useWorkspace()
  const isOwner = useMay('owner')
  const { value, change, clear } = useDraft(`invite-${workspace.id}`, blank)
  const invite = useOperationMutation('invite_member', {
    refreshes: ['list_invitations'],
    async onSuccess(invited) {
      clear()
      await onDone(invited)
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const email = value.email.trim()
    const invitee = email === '' ? {} : { email }
    invite.mutate({ ...invitee, role: value.role, workspace_id: workspace.id })
  }
  const offered = (['admin', 'editor', 'viewer'] as const).filter(
    (role) => isOwner || role !== 'admin',
  )
  const emailIssue = invite.error?.issueOf('email')
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field label={t('settings.members.email')} hint={useEmailHint()} error={emailIssue}>
        <Input
          type="email"
          value={value.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
        />
      </Field>
      <div>
        <p className="mb-2 text-sm font-medium">{t('settings.members.inviteRole')}</p>
        <RadioGroup
          label={t('settings.members.inviteRole')}
          value={value.role}
          choices={offered.map((role) => ({
            value: role,
            label: t(`shell.roles.${role}`),
            hint: t(`settings.members.roleHints.${role}`),
          }))}
          onChange={(role) => change({ role })}
        />
      </div>
      {invite.error !== null && emailIssue === undefined && (
        <Notice tone="bad">
          <ErrorText error={invite.error} />
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button look="primary" type="submit" busy={invite.isPending}>
          {t('settings.members.inviteDo')}
        </Button>
      </DialogActions>
    </form>
  )
}
