import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Trash2, Webhook } from '#ui/icons.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { EmptyState, ListStates } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { useAgent } from '#features/agents/index.ts'
import { formatDate } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'

/** /agents/{appId}/publish/catalog/webhooks */
export function WebhooksPage() {
  const agent = useAgent()
  const isEditor = useMay('editor')
  const navigate = useNavigate()
  const { create } = useSearch({ from: '/agents/$appId/publish/catalog/webhooks' })
  const openForm = (open: boolean) =>
    void navigate({
      to: '/agents/$appId/publish/catalog/webhooks',
      params: { appId: agent.app_name_id },
      search: open ? { create: true } : {},
    })
  return (
    <div className="flex flex-col gap-6">
      <EndpointsCard mayChange={isEditor} onCreate={() => openForm(true)} />
      <DeliveriesCard mayChange={isEditor} />
      <EndpointDialog open={isEditor && create === true} onOpenChange={openForm} />
    </div>
  )
}

interface EndpointsCardProps {
  readonly mayChange: boolean
  onCreate(): void
}

function EndpointsCard({ mayChange, onCreate }: EndpointsCardProps) {
  const agent = useAgent()
  const endpoints = useOperationList('list_webhook_endpoints', { app_id: agent.id, limit: 100 })
  const remove = useOperationMutation('delete_webhook_endpoint', {
    refreshes: ['list_webhook_endpoints'],
  })
  const deletion = useUndoableDelete((id) => remove.mutateAsync({ id }))
  const shown = endpoints.items.filter(({ id }) => !deletion.hidden.has(id))
  const create = mayChange ? (
    <Button look="primary" onClick={onCreate}>
      <Plus aria-hidden />
      {t('publish.webhooks.create')}
    </Button>
  ) : undefined
  return (
    <Card>
      <CardHeading
        title={t('publish.webhooks.title')}
        hint={t('publish.webhooks.hint')}
        actions={shown.length > 0 ? create : undefined}
      />
      <ListStates
        list={endpoints}
        rows={1}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState
            icon={Webhook}
            title={t('publish.webhooks.empty')}
            hint={t('publish.webhooks.emptyHint')}
            action={create}
          />
        }
      >
        <ul aria-label={t('publish.webhooks.title')} className="divide-y divide-line">
          {shown.map(({ id, url, created_at: since }) => (
            <li key={id} className="flex items-center gap-4 py-3">
              <span className="min-w-0 flex-1">
                <span className="font-mono text-sm break-all">{url}</span>
                <span className="block text-[0.8125rem] text-soft">
                  {t('publish.webhooks.since', { when: formatDate(since) })}
                </span>
              </span>
              {mayChange && (
                <Button
                  look="quiet"
                  size="icon"
                  aria-label={t('publish.webhooks.delete', { url })}
                  onClick={() => deletion.remove(id, t('publish.webhooks.deleted'))}
                >
                  <Trash2 aria-hidden />
                </Button>
              )}
            </li>
          ))}
        </ul>
      </ListStates>
    </Card>
  )
}
