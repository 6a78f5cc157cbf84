import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from '#ui/icons.ts'
import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { meQuery, useMe, type Role } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { notifyError } from '#components/notify-error.ts'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Select } from '#ui/select.tsx'
import { Badge } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'

type Member = ItemOf<'list_members'>

const ladder: readonly Role[] = ['owner', 'admin', 'editor', 'viewer']

export function MemberRow({ member }: { readonly member: Member }) {
  const me = useMe()
  const isMe = member.user_id === me.user.id
  const isOwner = useMay('owner')
  const isAdmin = useMay('admin')
  // Admins manage editors and viewers, owners manage everyone.
  const isBelow = member.role === 'editor' || member.role === 'viewer'
  const mayChange = !isMe && (isOwner || (isAdmin && isBelow))
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <span
        aria-hidden
        className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-ground text-sm font-semibold text-accent uppercase"
      >
        {member.name.slice(0, 1)}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{member.name}</span>
          {isMe && <Badge tone="accent">{t('settings.members.you')}</Badge>}
          {member.is_disabled && <Badge tone="bad">{t('settings.members.disabled')}</Badge>}
          {member.email_proof === 'none' && (
            <Badge tone="warn">{t('settings.members.unproven')}</Badge>
          )}
          {member.email_proof === 'operator' && !isMe && (
            <Badge>{t('settings.members.vouched')}</Badge>
          )}
        </p>
        <p className="flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="break-all">{member.email}</span>
          <span>{t('settings.members.since', { when: formatDate(member.joined_at) })}</span>
        </p>
      </div>
      {mayChange ? (
        <>
          <RoleSelect member={member} mayMakeAdmin={isOwner} />
          <MemberMenu member={member} mayTransfer={isOwner} />
        </>
      ) : (
        <Badge>{t(`shell.roles.${member.role}`)}</Badge>
      )}
    </div>
  )
}

interface RoleSelectProps {
  readonly member: Member
  readonly mayMakeAdmin: boolean
}

function RoleSelect({ member, mayMakeAdmin }: RoleSelectProps) {
  const workspace = useWorkspace()
  const { name } = member
  const change = useOperationMutation('change_member_role', {
    refreshes: ['list_members', 'list_keys_to_rotate'],
    onSuccess: ({ role }) =>
      void notify({
        title: t('settings.members.roleChanged', { name, role: t(`shell.roles.${role}`) }),
      }),
  })
  const offered = ladder.filter((role) => mayMakeAdmin || (role !== 'owner' && role !== 'admin'))
  return (
    <Select
      label={t('settings.members.role', { name })}
      className="max-w-36"
      choices={offered.map((role) => ({
        value: role,
        label: t(`shell.roles.${role}`),
        hint: t(`settings.members.roleHints.${role}`),
      }))}
      // Shown immediately; a refused change is reverted.
      value={change.isPending ? change.variables.role : member.role}
      onChange={(role) =>
        change.mutate(
          { user_id: member.user_id, role, workspace_id: workspace.id },
          { onError: notifyError },
        )
      }
    />
  )
}

interface MemberMenuProps {
  readonly member: Member
  readonly mayTransfer: boolean
}

function MemberMenu({ member, mayTransfer }: MemberMenuProps) {
  const workspace = useWorkspace()
  const client = useQueryClient()
  const [asking, setAsking] = useState<'remove' | 'transfer' | null>(null)
  const { name } = member
  const input = { user_id: member.user_id, workspace_id: workspace.id }
  const remove = useOperationMutation('remove_member', {
    refreshes: ['list_members', 'list_keys_to_rotate'],
    onSuccess({ keys_to_rotate: { length: count } }) {
      const knows =
        count === 0 ? {} : { description: t('settings.members.removedKnows', { count }) }
      notify({ title: t('settings.members.removed', { name }), ...knows })
    },
  })
  const transfer = useOperationMutation('transfer_workspace', {
    refreshes: ['list_members', 'get_workspace'],
    async onSuccess() {
      // The user's own role changed, and with it what is available.
      await client.invalidateQueries(meQuery)
      notify({ title: t('settings.members.transferred', { name }) })
    },
  })
  const close = (open: boolean) => !open && setAsking(null)
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label={t('settings.members.more', { name })}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        {mayTransfer && (
          <MenuItem onSelect={() => setAsking('transfer')}>
            {t('settings.members.transfer')}
          </MenuItem>
        )}
        <MenuItem danger onSelect={() => setAsking('remove')}>
          {t('settings.members.remove')}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking === 'remove'}
        onOpenChange={close}
        title={t('settings.members.removeConfirm', { name })}
        confirm={t('settings.members.remove')}
        onConfirm={() => remove.mutateAsync(input)}
      >
        {t('settings.members.removeWarning')}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'transfer'}
        onOpenChange={close}
        title={t('settings.members.transferConfirm', { name })}
        confirm={t('settings.members.transfer')}
        onConfirm={() => transfer.mutateAsync(input)}
      >
        {t('settings.members.transferWarning', { name })}
      </ConfirmDialog>
    </>
  )
}
