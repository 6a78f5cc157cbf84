import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus } from '#ui/icons.ts'
import { useMe } from '#api/me.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ListStates } from '#components/states.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { KeysToRotateCard } from '../developer/keys-to-rotate-card.tsx'
import { MemberRow } from './member-row.tsx'
import { NewAccountCard } from './new-account-card.tsx'

/** /settings/members */
export function MembersPage() {
  const workspace = useWorkspace()
  const mayInvite = useMay('admin')
  const isOwner = useMay('owner')
  const { is_operator: isOperator } = useMe()
  const navigate = useNavigate()
  const { invite } = useSearch({ from: '/settings/members' })
  const members = useOperationList('list_members', { workspace_id: workspace.id, limit: 100 })
  const openForm = (open: boolean) =>
    void navigate({ to: '/settings/members', search: open ? { invite: true } : {} })
  return (
    <>
      <PageHeading
        title={t('settings.members.title')}
        hint={t('settings.members.hint')}
        actions={
          mayInvite && (
            <Button look="primary" onClick={() => openForm(true)}>
              <UserPlus aria-hidden />
              {t('settings.members.invite')}
            </Button>
          )
        }
      />
      <div className="flex flex-col gap-6">
        <ListStates list={members} rows={3}>
          <Card>
            <CardHeading
              title={
                members.hasMore
                  ? t('settings.members.list')
                  : t('settings.members.count', { count: members.items.length })
              }
            />
            <VirtualList
              label={t('settings.members.list')}
              items={members.items}
              keyOf={(member) => member.user_id}
              rowPixels={72}
              onEnd={members.onEnd}
            >
              {(member) => <MemberRow member={member} />}
            </VirtualList>
          </Card>
        </ListStates>
        {isOwner && <KeysToRotateCard />}
        {mayInvite && <InvitationsCard />}
        {isOperator && <NewAccountCard />}
      </div>
      {mayInvite && <InviteDialog open={invite === true} onOpenChange={openForm} />}
    </>
  )
}
