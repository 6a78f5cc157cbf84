import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plug, Plus, Trash2 } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { useAgent } from '#features/agents/index.ts'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, Notice } from '#ui/surfaces.tsx'
import { ServerDialog } from './server-dialog.tsx'

type Server = ItemOf<'list_mcp_servers'>

/** /agents/{appId}/build/servers */
export function ServersPage() {
  const agent = useAgent()
  const mayChange = useMay('editor')
  const navigate = useNavigate()
  const { add: isAdding } = useSearch({ from: '/agents/$appId/build/servers' })
  const list = useOperationList('list_mcp_servers', { app_id: agent.id, limit: 100 })
  const remove = useOperationMutation('remove_mcp_server', { refreshes: ['list_mcp_servers'] })
  const { hidden, remove: removeLater } = useUndoableDelete((id) =>
    remove.mutateAsync({ server_id: id }),
  )
  const shown = list.items.filter(({ id }) => !hidden.has(id))
  const open = (isOpen: boolean) =>
    void navigate({
      to: '/agents/$appId/build/servers',
      params: { appId: agent.app_name_id },
      search: isOpen ? { add: true } : {},
    })
  const add = mayChange ? (
    <Button look="primary" onClick={() => open(true)}>
      <Plus aria-hidden />
      {t('build.servers.add')}
    </Button>
  ) : undefined
  return (
    <>
      <PageHeading
        title={t('build.servers.title')}
        hint={t('build.servers.hint')}
        documentTitle={`${t('build.servers.title')} · ${agent.name}`}
        actions={shown.length > 0 ? add : undefined}
      />
      <ListStates
        list={list}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState
            icon={Plug}
            title={t('build.servers.empty')}
            hint={mayChange ? t('build.servers.emptyHint') : t('build.servers.emptyViewerHint')}
            action={add}
          />
        }
      >
        <ul aria-label={t('build.servers.list')} className="flex flex-col gap-4">
          {shown.map((server) => (
            <li key={server.id}>
              <ServerCard
                server={server}
                onRemove={
                  mayChange
                    ? () =>
                        removeLater(server.id, t('build.servers.removed', { name: server.name }))
                    : undefined
                }
              />
            </li>
          ))}
        </ul>
      </ListStates>
      {mayChange && isAdding === true && <ServerDialog onClose={() => open(false)} />}
    </>
  )
}

interface ServerCardProps {
  readonly server: Server
  readonly onRemove: (() => void) | undefined
}

function ServerCard({ server, onRemove }: ServerCardProps) {
  const { name, url, tools, error, header_names: headers } = server
  return (
    <Card>
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="flex flex-wrap items-center gap-2 font-medium">
            <span className="break-all">{name}</span>
            {server.requires_confirmation && <Badge tone="warn">{t('build.actions.asks')}</Badge>}
          </h2>
          <p className="mt-0.5 font-mono text-[0.8125rem] break-all text-soft">{url}</p>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
            <span>{t('build.servers.tools', { count: tools.length })}</span>
            <span>{t('build.servers.seen', { when: formatRelative(server.listed_at) })}</span>
            {headers.length > 0 && (
              <span>{t('build.servers.sends', { headers: headers.join(', ') })}</span>
            )}
          </p>
        </div>
        {onRemove !== undefined && (
          <Button
            look="quiet"
            size="icon"
            onClick={onRemove}
            aria-label={t('build.servers.remove', { name })}
          >
            <Trash2 aria-hidden />
          </Button>
        )}
      </div>
      {error !== null && (
        <div className="mt-3">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
      {tools.length > 0 && (
        <ul className="mt-3 divide-y divide-line border-t border-line text-sm">
          {tools.map((tool) => (
            <li key={tool.name} className="py-2">
              <p className="font-mono text-[0.8125rem] break-all">{tool.name}</p>
              <p className="line-clamp-2 text-soft">{tool.description}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
