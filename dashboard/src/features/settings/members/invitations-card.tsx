import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { ListStates } from '#components/states.tsx'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { ResendInvitation } from './resend-invitation.tsx'

type Invitation = ItemOf<'list_invitations'>

/** Pending and expired invitations. */
export function InvitationsCard() {
  const workspace = useWorkspace()
  const list = useOperationList('list_invitations', { workspace_id: workspace.id, limit: 50 })
  return (
    <Card>
      <CardHeading
        title={t('settings.members.invitations')}
        hint={t('settings.members.invitationsHint')}
      />
      <ListStates
        list={list}
        rows={1}
        isEmpty={list.items.length === 0}
        empty={<p className="text-sm text-soft">{t('settings.members.noInvitations')}</p>}
      >
        <ul aria-label={t('settings.members.invitations')} className="divide-y divide-line">
          {list.items.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      </ListStates>
      {list.hasMore && (
        <Button look="quiet" busy={list.isLoadingMore} onClick={list.more}>
          {t('common.more')}
        </Button>
      )}
    </Card>
  )
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const workspace = useWorkspace()
  const revoke = useOperationMutation('revoke_invitation', {
    refreshes: ['list_invitations'],
    onSuccess: () => void notify({ title: t('settings.members.revoked') }),
  })
  const { email, invited_by, expires_at, mail, mail_error, role, status } = invitation
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-all">{email ?? t('settings.members.anyone')}</span>
          <Badge>{t(`shell.roles.${role}`)}</Badge>
          {status === 'expired' ? (
            <Badge tone="warn">{t('settings.members.expired')}</Badge>
          ) : (
            <Badge tone={mail === 'failed' ? 'bad' : 'neutral'}>
              {t(`settings.members.mail.${mail}`)}
            </Badge>
          )}
        </p>
        <p className="text-[0.8125rem] text-soft">
          {t('settings.members.invitedBy', {
            name: invited_by.name,
            when: formatDate(expires_at),
          })}
          {mail_error !== null && <span className="block text-bad">{mail_error}</span>}
        </p>
      </div>
      <ResendInvitation invitation={invitation} />
      <Button
        size="small"
        busy={revoke.isPending}
        onClick={() =>
          revoke.mutate({ id: invitation.id, workspace_id: workspace.id }, { onError: notifyError })
        }
      >
        {t('settings.members.revoke')}
      </Button>
    </li>
  )
}
