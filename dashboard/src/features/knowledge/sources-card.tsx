import { BookOpen } from '#ui/icons.ts'
import { useOperationList, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { EmptyState, ListStates } from '#components/states.tsx'
import { useUndoableDelete } from '#components/use-undoable-delete.ts'
import { VirtualList } from '#components/virtual-list.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { isBeingRead, SourceRow, type RefreshEvery, type Source } from './source-row.tsx'

/** The polling interval while a source is being read. */
const refetchMs = 1000

/** The agent's sources, newest first, with live progress. */
export function SourcesCard() {
  const agent = useAgent()
  const isEditor = useMay('editor')
  const sources = useOperationList(
    'list_knowledge_sources',
    { app_id: agent.id, limit: 50 },
    { refetchInterval: (items) => (items.some(isBeingRead) ? refetchMs : false) },
  )
  const remove = useOperationMutation('delete_knowledge_source', {
    refreshes: ['list_knowledge_sources'],
  })
  const refresh = useOperationMutation('refresh_knowledge_source', {
    refreshes: ['list_knowledge_sources'],
    onSuccess: ({ title }) => void notify({ title: t('knowledge.refreshed', { title }) }),
  })
  const deletion = useUndoableDelete((id) => remove.mutateAsync({ source_id: id }))
  const shown = sources.items.filter(({ id }) => !deletion.hidden.has(id))
  function readAgain(source: Source, every?: RefreshEvery): void {
    const interval = every === undefined ? {} : { refresh_every: every }
    refresh.mutate({ source_id: source.id, ...interval }, { onError: notifyError })
  }
  return (
    <Card>
      <CardHeading title={t('knowledge.sources')} />
      <ListStates
        list={sources}
        rows={2}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState
            icon={BookOpen}
            title={t('knowledge.empty')}
            hint={isEditor ? t('knowledge.emptyHint') : t('knowledge.emptyViewer')}
          />
        }
      >
        <VirtualList
          label={t('knowledge.sources')}
          items={shown}
          keyOf={(source) => source.id}
          rowPixels={78}
          onEnd={sources.onEnd}
        >
          {(source) => (
            <SourceRow
              source={source}
              mayChange={isEditor}
              onRefresh={(every) => readAgain(source, every)}
              onDelete={() =>
                deletion.remove(source.id, t('knowledge.deleted', { title: source.title }))
              }
            />
          )}
        </VirtualList>
      </ListStates>
    </Card>
  )
}
