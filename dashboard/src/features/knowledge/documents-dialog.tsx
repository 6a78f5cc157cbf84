import type { ItemOf, OutputOf } from '#api/call-operation.ts'
import { useOperation, useOperationList } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Badge } from '#ui/surfaces.tsx'

export interface DocumentsDialogProps {
  /** Undefined while the dialog is closed. */
  readonly sourceId: string | undefined
  onClose(): void
}

/** The documents of a source, and those that could not be read, with the reason. */
export function DocumentsDialog({ sourceId, onClose }: DocumentsDialogProps) {
  return (
    <Dialog
      open={sourceId !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('knowledge.pages.title')}
      description={sourceId === undefined ? undefined : <SourceTitle sourceId={sourceId} />}
      closeLabel={t('common.close')}
      wide
    >
      {sourceId !== undefined && <Documents sourceId={sourceId} />}
    </Dialog>
  )
}

function SourceTitle({ sourceId }: { readonly sourceId: string }) {
  const { data } = useOperation('get_knowledge_source', { source_id: sourceId })
  return data === undefined ? null : <span className="break-words">{data.title}</span>
}

function Documents({ sourceId }: { readonly sourceId: string }) {
  const documents = useOperationList('list_source_documents', { source_id: sourceId, limit: 50 })
  // Every page of the list contains the failed ones.
  const first = useOperation('list_source_documents', { source_id: sourceId, limit: 1 })
  if (documents.error !== null)
    return <ErrorState error={documents.error} onRetry={documents.refetch} />
  if (documents.isPending) return <LoadingRows rows={3} />
  return (
    <>
      {first.data !== undefined && <FailedPages pages={first.data.failed} />}
      <h3 className="mt-1 text-sm font-semibold">{t('knowledge.pages.read')}</h3>
      {documents.items.length === 0 && (
        <p className="mt-1 text-sm text-soft">{t('knowledge.pages.none')}</p>
      )}
      <ul aria-label={t('knowledge.pages.read')}>
        {documents.items.map((document) => (
          <li key={document.id} className="border-t border-line py-2.5 first:border-t-0">
            <ReadPage document={document} />
          </li>
        ))}
      </ul>
      {documents.hasMore && (
        <Button className="mt-2" busy={documents.isLoadingMore} onClick={documents.more}>
          {t('common.more')}
        </Button>
      )}
    </>
  )
}

type Failed = OutputOf<'list_source_documents'>['failed']

function FailedPages({ pages }: { readonly pages: Failed }) {
  if (pages.length === 0) return null
  return (
    <section className="mb-4">
      <h3 className="text-sm font-semibold">{t('knowledge.pages.failed')}</h3>
      <ul aria-label={t('knowledge.pages.failed')}>
        {pages.map(({ url, message }) => (
          <li key={url} className="border-t border-line py-2.5 first:border-t-0">
            <Address url={url} />
            <p className="text-sm text-warn">{message}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function ReadPage({ document }: { readonly document: ItemOf<'list_source_documents'> }) {
  const { title, url, status, chunk_count: count, checked_at: when } = document
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="min-w-0 text-sm font-medium break-words">
          {title ?? url ?? t('knowledge.pages.untitled')}
        </span>
        {status === 'building' && <Badge tone="accent">{t('knowledge.status.processing')}</Badge>}
      </p>
      {url !== null && <Address url={url} />}
      <p className="flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
        {status === 'ready' && <span>{t('knowledge.chunks', { count })}</span>}
        <span>{t('knowledge.readAt', { when: formatRelative(when) })}</span>
      </p>
    </>
  )
}

function Address({ url }: { readonly url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="text-[0.8125rem] break-all text-accent hover:underline"
    >
      {url}
    </a>
  )
}
