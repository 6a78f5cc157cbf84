import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Bot, Plus, Search } from '#ui/icons.ts'
import { useOperation, useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { BackLink } from '#components/back-link.tsx'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { TypedFilter } from '#components/typed-filter.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { AgentRow, FolderRows } from './agent-row.tsx'
import { agentSorts, type AgentsSearch } from './agents-search.ts'
import { ImportAgent } from './import-agent.tsx'
import { SelectedAgents } from './selected-agents.tsx'
import { useSelection } from './use-selection.ts'

/** /agents: the folders and the agents in none; with `folder`, those in it; with `query`, all that fit. */
export function AgentsPage() {
  const { folder } = useSearch({ from: '/agents' })
  const mayCreate = useMay('editor')
  const { list, folders, isAlone } = useAgents()
  const create = <CreateLink />
  return (
    <>
      {folder !== undefined && (
        <BackLink link={{ to: '/agents' }}>{t('agents.folders.back')}</BackLink>
      )}
      <PageHeading
        title={folder ?? t('agents.title')}
        hint={folder === undefined ? t('agents.hint') : undefined}
        actions={
          mayCreate && (
            <>
              <ImportAgent />
              {!isAlone && create}
            </>
          )
        }
      />
      <Agents list={list} folders={folders} isAlone={isAlone} create={create} />
    </>
  )
}

function CreateLink() {
  return (
    <Button look="primary" render={<Link to="/agents/new" />}>
      <Plus aria-hidden />
      {t('agents.create')}
    </Button>
  )
}

/** What the search of the page asks for. */
function useAgents() {
  const { id: workspace_id } = useWorkspace()
  const { query, sort, folder } = useSearch({ from: '/agents' })
  const list = useOperationList('list_apps', {
    workspace_id,
    limit: 50,
    ...(query === undefined ? { folder: folder ?? '' } : { query }),
    ...(sort === undefined ? {} : { sort }),
  })
  const all = useOperation('get_app_folders', { workspace_id })
  const named = (all.data?.items ?? []).filter(({ name }) => name !== '')
  const folders = query === undefined && folder === undefined ? named : []
  const isAlone =
    list.items.length === 0 && named.length === 0 && query === undefined && folder === undefined
  return { list, folders, isAlone }
}

interface AgentsProps extends ReturnType<typeof useAgents> {
  readonly create: ReactNode
}

function Agents({ list, folders, isAlone, create }: AgentsProps) {
  const { query, sort, folder } = useSearch({ from: '/agents' })
  const mayChange = useMay('editor')
  const selection = useSelection(`${folder} ${query}`)
  const { items } = list
  const isLong = items.length > 5 || folders.length > 0
  return (
    <>
      {(isLong || query !== undefined || sort !== undefined) && <Filters />}
      {mayChange && items.length > 1 && (
        <SelectedAgents selection={selection} from={folder ?? ''} />
      )}
      <FolderRows folders={folders} />
      <ListStates
        list={list}
        isEmpty={items.length === 0 && folders.length === 0}
        empty={<NoAgents create={isAlone ? create : undefined} />}
      >
        <VirtualList
          label={t('agents.title')}
          items={items}
          keyOf={(agent) => agent.id}
          rowPixels={92}
          onEnd={list.onEnd}
        >
          {(agent) => (
            <AgentRow
              agent={agent}
              withFolder={query !== undefined}
              isSelected={selection.ids?.has(agent.id) ?? null}
              onSelect={(selected) => selection.set(agent.id, selected)}
            />
          )}
        </VirtualList>
      </ListStates>
    </>
  )
}

/** @param create the way to the first agent; undefined if there are others */
function NoAgents({ create }: Partial<Pick<AgentsProps, 'create'>>) {
  const { query, folder } = useSearch({ from: '/agents' })
  const mayCreate = useMay('editor')
  if (query !== undefined)
    return (
      <EmptyState
        icon={Search}
        title={t('agents.noneFound', { query })}
        hint={t('agents.noneFoundHint')}
      />
    )
  if (folder !== undefined)
    return (
      <EmptyState
        icon={Bot}
        title={t('agents.folders.empty')}
        hint={t('agents.folders.emptyHint')}
      />
    )
  return (
    <EmptyState
      icon={Bot}
      title={mayCreate ? t('agents.empty') : t('agents.emptyViewer')}
      hint={mayCreate ? t('agents.emptyHint') : t('agents.emptyViewerHint')}
      action={mayCreate ? create : undefined}
    />
  )
}

/** Search and order; both are part of the address. */
function Filters() {
  const { query = '', sort = 'newest' } = useSearch({ from: '/agents' })
  const navigate = useNavigate()
  const change = (part: AgentsSearch) =>
    void navigate({ to: '/agents', search: (before) => ({ ...before, ...part }), replace: true })
  return (
    <div className="mb-4 grid gap-4 sm:grid-cols-[1fr_14rem]">
      <TypedFilter
        label={t('agents.search')}
        placeholder={t('agents.searchPlaceholder')}
        value={query}
        asTyped
        onChange={(typed) => change({ query: typed === '' ? undefined : typed })}
      />
      <Field label={t('agents.sort')}>
        <Select
          choices={agentSorts.map((one) => ({ value: one, label: t(`agents.sorts.${one}`) }))}
          value={sort}
          onChange={(one) => change({ sort: one === 'newest' ? undefined : one })}
        />
      </Field>
    </div>
  )
}
