import { useState, type FormEvent } from 'react'
import type { OutputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { messageOf } from '#components/message-of.ts'
import { useDraft } from '#components/use-draft.ts'
import { formatDateTime } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { InvitationLink } from './invitation-link.tsx'

type Invited = OutputOf<'invite_member'>
type InvitedRole = 'admin' | 'editor' | 'viewer'

export interface InviteDialogProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
}

/** The form of an invitation, then its link if the invitation is not mailed. */
export function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
  const [made, setMade] = useState<Invited | null>(null)
  function change(next: boolean): void {
    onOpenChange(next)
    if (!next) setMade(null)
  }
  function done(invited: Invited): void {
    if (invited.link !== null) return setMade(invited)
    notify({ title: t('settings.members.invited', { email: invited.email ?? '' }) })
    change(false)
  }
  const link = made?.link ?? null
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={link === null ? t('settings.members.inviteTitle') : t('settings.members.linkTitle')}
      description={
        made === null
          ? t('settings.members.inviteHint')
          : t('settings.members.linkHint', { when: formatDateTime(made.expires_at) })
      }
      closeLabel={t('common.close')}
    >
      {link === null ? (
        <InviteForm onDone={done} onCancel={() => change(false)} />
      ) : (
        <InvitationLink link={link} onDone={() => change(false)} />
      )}
    </Dialog>
  )
}

interface InviteFormProps {
  onDone(invited: Invited): void
  onCancel(): void
}

const blank: { email: string; role: InvitedRole } = { email: '', role: 'editor' }

function InviteForm({ onDone, onCancel }: InviteFormProps) {
  const workspace = useWorkspace()
  const isOwner = useMay('owner')
  const { value, change, clear } = useDraft(`invite-${workspace.id}`, blank)
  const invite = useOperationMutation('invite_member', {
    refreshes: ['list_invitations'],
    onSuccess(invited) {
      clear()
      onDone(invited)
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
      <Field
        label={t('settings.members.email')}
        hint={t('settings.members.emailHint')}
        error={emailIssue}
      >
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
        <Notice tone="bad">{messageOf(invite.error)}</Notice>
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
