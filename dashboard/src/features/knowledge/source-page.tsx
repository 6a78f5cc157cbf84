import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Download, Pencil, RefreshCw } from '#ui/icons.ts'
import { basePath } from '#api/base-path.ts'
import { refresh } from '#api/operation-keys.ts'
import { useOperation, useOperationMutation } from '#api/use-operation.ts'
import { useMay } from '#api/workspace.ts'
import { BackLink } from '#components/back-link.tsx'
import { notifyError } from '#components/notify-error.ts'
import { PageHeading } from '#components/page-heading.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { notify } from '#ui/toast.tsx'
import { EditSourceDialog } from './edit-source-dialog.tsx'
import { sourceSearch } from './knowledge-search.ts'
import { SourceDocuments } from './source-documents.tsx'
import { isBeingRead, SourceState, type Source } from './source-row.tsx'

/** The polling interval while the source is being read. */
const refetchMs = 1000

/** /agents/{appId}/knowledge/{sourceId} */
export function SourcePage() {
  const agent = useAgent()
  const { sourceId } = useParams({ from: '/agents/$appId/knowledge/$sourceId' })
  const source = useOperation(
    'get_knowledge_source',
    { source_id: sourceId },
    {
      refetchInterval: (last) => (last !== undefined && isBeingRead(last) ? refetchMs : false),
    },
  )
  const { data, error } = source
  return (
    <>
      <BackLink link={{ to: '/agents/$appId/knowledge', params: { appId: agent.app_name_id } }}>
        {t('knowledge.title')}
      </BackLink>
      {error !== null ? (
        <ErrorState error={error} onRetry={source.refetch} />
      ) : data === undefined ? (
        <LoadingRows />
      ) : (
        <ShownSource source={data} />
      )}
    </>
  )
}

function ShownSource({ source }: { readonly source: Source }) {
  const agent = useAgent()
  const navigate = useNavigate()
  const { edit = false } = useSearch({ from: '/agents/$appId/knowledge/$sourceId' })
  const isEditor = useMay('editor')
  useNewVersions(source)
  const showEdit = (open: boolean) =>
    void navigate({
      from: '/agents/$appId/knowledge/$sourceId',
      to: '.',
      search: ({ document, start, end }) => sourceSearch({ document, start, end, edit: open }),
    })
  return (
    <>
      <PageHeading
        title={source.title}
        documentTitle={`${source.title} · ${agent.name}`}
        actions={<SourceActions source={source} onEdit={() => showEdit(true)} />}
      />
      <div className="flex flex-col gap-6">
        <SourceState source={source} />
        <SourceDocuments source={source} />
      </div>
      <EditSourceDialog
        source={source}
        open={isEditor && edit}
        onOpenChange={(open) => showEdit(open)}
      />
    </>
  )
}

/** Loads the documents again when the source has been read again. */
function useNewVersions({ last_indexed_at: readAt }: Source): void {
  const client = useQueryClient()
  const shown = useRef(readAt)
  useEffect(() => {
    if (shown.current === readAt) return
    shown.current = readAt
    void refresh(client, ['list_source_documents', 'find_source_passage'])
  }, [client, readAt])
}

interface SourceActionsProps {
  readonly source: Source
  onEdit(): void
}

function SourceActions({ source, onEdit }: SourceActionsProps) {
  const isEditor = useMay('editor')
  const readAgain = useOperationMutation('refresh_knowledge_source', {
    refreshes: ['get_knowledge_source', 'list_knowledge_sources'],
    onSuccess: ({ title }) => void notify({ title: t('knowledge.refreshed', { title }) }),
  })
  const isPages = source.crawl !== null
  return (
    <>
      {isEditor && isPages && (
        <Button
          busy={readAgain.isPending}
          onClick={() => readAgain.mutate({ source_id: source.id }, { onError: notifyError })}
        >
          <RefreshCw aria-hidden />
          {t('knowledge.refreshNow')}
        </Button>
      )}
      {!isPages && (
        <Button
          render={<a href={`${basePath}/api/dashboard/sources/${source.id}/file`} download />}
        >
          <Download aria-hidden />
          {t('knowledge.source.download')}
        </Button>
      )}
      {isEditor && (
        <Button look="primary" onClick={onEdit}>
          <Pencil aria-hidden />
          {t('knowledge.source.edit')}
        </Button>
      )}
    </>
  )
}
