import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Bot, ChevronRight, Plus, Search } from '#ui/icons.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { EmptyState, ListStates } from '#components/states.tsx'
import { Time } from '#components/time.tsx'
import { TypedFilter } from '#components/typed-filter.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { agentSorts, type AgentsSearch } from './agents-search.ts'
import { ImportAgent } from './import-agent.tsx'

/** /agents */
export function AgentsPage() {
  const workspace = useWorkspace()
  const mayCreate = useMay('editor')
  const { query, sort } = useSearch({ from: '/agents' })
  const agents = useOperationList('list_apps', {
    workspace_id: workspace.id,
    limit: 50,
    ...(query === undefined ? {} : { query }),
    ...(sort === undefined ? {} : { sort }),
  })
  const isFiltered = query !== undefined
  const create = (
    <Button look="primary" render={<Link to="/agents/new" />}>
      <Plus aria-hidden />
      {t('agents.create')}
    </Button>
  )
  return (
    <>
      <PageHeading
        title={t('agents.title')}
        hint={t('agents.hint')}
        actions={
          mayCreate && (
            <>
              <ImportAgent />
              {(agents.items.length > 0 || isFiltered) && create}
            </>
          )
        }
      />
      {(agents.items.length > 5 || isFiltered || sort !== undefined) && <Filters />}
      <ListStates
        list={agents}
        isEmpty={agents.items.length === 0}
        empty={
          isFiltered ? (
            <EmptyState
              icon={Search}
              title={t('agents.noneFound', { query })}
              hint={t('agents.noneFoundHint')}
            />
          ) : (
            <EmptyState
              icon={Bot}
              title={mayCreate ? t('agents.empty') : t('agents.emptyViewer')}
              hint={mayCreate ? t('agents.emptyHint') : t('agents.emptyViewerHint')}
              action={mayCreate ? create : undefined}
            />
          )
        }
      >
        <VirtualList
          label={t('agents.title')}
          items={agents.items}
          keyOf={(agent) => agent.id}
          rowPixels={92}
          onEnd={agents.onEnd}
        >
          {(agent) => <AgentRow agent={agent} />}
        </VirtualList>
      </ListStates>
    </>
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

function AgentRow({ agent }: { readonly agent: ItemOf<'list_apps'> }) {
  return (
    <div className="pb-3">
      <Link
        to="/agents/$appId"
        params={{ appId: agent.app_name_id }}
        className="group flex items-center gap-4 rounded-2xl border border-line bg-card px-5 py-4 transition-colors hover:border-field-line"
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{agent.name}</span>
          <span className="block truncate text-sm text-soft">
            {agent.description === '' ? t('agents.noDescription') : agent.description}
          </span>
        </span>
        <span className="hidden shrink-0 text-right text-[0.8125rem] text-soft sm:block">
          <span className="block font-mono">{agent.app_name_id}</span>
          <Time value={agent.updated_at} relative />
        </span>
        <ChevronRight className="size-4 shrink-0 text-soft group-hover:text-ink" aria-hidden />
      </Link>
    </div>
  )
}
