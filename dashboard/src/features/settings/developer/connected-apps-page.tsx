import { Plug } from '#ui/icons.ts'
import { useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useMe } from '#api/me.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { CodeBlock } from '#components/code-block.tsx'
import { ConfirmDialog } from '#components/confirm-dialog.tsx'
import { CredentialDetails, LastUse } from '#components/key-facts.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card } from '#ui/surfaces.tsx'
import { notify } from '#ui/toast.tsx'
import { placesOf, ReachBadges } from './reach-badges.tsx'

type ConnectedApp = ItemOf<'list_connected_apps'>

/** /settings/connected-apps: the user's grants, for all workspaces. */
export function ConnectedAppsPage() {
  const { base_url } = useMe()
  const apps = useOperationList('list_connected_apps', { limit: 50 })
  const [leaving, setLeaving] = useState<ConnectedApp | null>(null)
  const revoke = useOperationMutation('revoke_connected_app', {
    refreshes: ['list_connected_apps'],
    onSuccess: ({ name }) => void notify({ title: t('settings.connectedApps.revoked', { name }) }),
  })
  return (
    <>
      <PageHeading
        title={t('settings.connectedApps.title')}
        hint={t('settings.connectedApps.hint')}
      />
      <ListStates
        list={apps}
        rows={2}
        isEmpty={apps.items.length === 0}
        empty={
          <>
            <EmptyState
              icon={Plug}
              title={t('settings.connectedApps.empty')}
              hint={t('settings.connectedApps.emptyHint')}
            />
            <div className="mt-4">
              <CodeBlock
                label={t('settings.developer.endpoint')}
                code={`${base_url ?? location.origin}/mcp`}
              />
            </div>
          </>
        }
      >
        <Card className="py-2 sm:py-2">
          <ul aria-label={t('settings.connectedApps.list')} className="divide-y divide-line">
            {apps.items.map((app) => (
              <ConnectedAppRow key={app.id} app={app} onRevoke={() => setLeaving(app)} />
            ))}
          </ul>
          {apps.hasMore && (
            <Button look="quiet" busy={apps.isLoadingMore} onClick={apps.more} className="my-2">
              {t('common.more')}
            </Button>
          )}
        </Card>
      </ListStates>
      <ConfirmDialog
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={t('settings.connectedApps.revokeConfirm', { name: leaving?.name ?? '' })}
        confirm={t('settings.connectedApps.revoke')}
        onConfirm={async () => {
          if (leaving !== null) await revoke.mutateAsync({ id: leaving.id })
        }}
      >
        {t('settings.connectedApps.revokeWarning')}
      </ConfirmDialog>
    </>
  )
}

interface ConnectedAppRowProps {
  readonly app: ConnectedApp
  onRevoke(): void
}

function ConnectedAppRow({ app, onRevoke }: ConnectedAppRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="break-words">{app.name}</span>
          {app.scopes.map((scope) => (
            <Badge key={scope}>{scope === '*' ? t('settings.connectedApps.full') : scope}</Badge>
          ))}
          <ReachBadges reach={app.reach} />
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
          <span className="break-all">
            {t('settings.connectedApps.returns', { address: app.returns_to })}
          </span>
          <span>
            {t('settings.connectedApps.connected', { when: formatRelative(app.created_at) })}
          </span>
          <LastUse of={app} />
        </p>
        <CredentialDetails of={{ ...app, key: null, places: placesOf(app.reach) }} />
      </div>
      <Button
        size="small"
        onClick={onRevoke}
        aria-label={t('settings.connectedApps.revokeLabel', { name: app.name })}
      >
        {t('settings.connectedApps.revoke')}
      </Button>
    </li>
  )
}
