import { Link, useSearch } from '@tanstack/react-router'
import { basePath } from '#api/base-path.ts'
import type { ItemOf, OutputOf } from '#api/call-operation.ts'
import { useOperation, useOperationList } from '#api/use-operation.ts'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { useAgent } from '#features/agents/index.ts'
import { safeAddress } from '#features/build/index.ts'
import { formatRelative } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Badge, Card, CardHeading, Notice } from '#ui/surfaces.tsx'
import { DocumentText } from './document-text.tsx'
import type { Source } from './source-row.tsx'
import { WebAddress } from './web-address.tsx'

/** The documents of a source with the text of the open one, and those that could not be read. */
export function SourceDocuments({ source }: { readonly source: Source }) {
  const { document, start, end } = useSearch({ from: '/agents/$appId/knowledge/$sourceId' })
  const isSite = source.kind === 'sitemap' || (source.crawl?.depth ?? 0) > 0
  const documents = useOperationList('list_source_documents', { source_id: source.id, limit: 50 })
  // Every page of the list contains the failed ones.
  const first = useOperation('list_source_documents', { source_id: source.id, limit: 1 })
  const isCited = start !== undefined && end !== undefined
  const cited = useOperation(
    'find_source_passage',
    { source_id: source.id, start: start ?? ' ', end: end ?? ' ' },
    { enabled: isCited },
  )
  const passage = cited.error === null ? cited.data : undefined
  if (documents.error !== null)
    return <ErrorState error={documents.error} onRetry={documents.refetch} />
  if (documents.isPending || (isCited && cited.isPending)) return <LoadingRows rows={3} />
  const only = isSite ? undefined : documents.items[0]?.id
  const shown = document ?? passage?.document_id ?? only
  const named = documents.items.find(({ id }) => id === shown)
  return (
    <>
      {cited.error !== null && <Notice tone="warn">{t('knowledge.source.passageGone')}</Notice>}
      {shown !== undefined && (
        <DocumentText
          key={`${shown} ${passage?.ordinal}`}
          sourceId={source.id}
          documentId={shown}
          title={isSite ? (named?.title ?? null) : null}
          cited={passage?.document_id === shown ? passage.ordinal : null}
          pageAddress={(page) => pageAddressOf(source, named?.url ?? null, page)}
        />
      )}
      {first.data !== undefined && <FailedPages pages={first.data.failed} />}
      {isSite && (
        <Card>
          <CardHeading title={t('knowledge.pages.title')} />
          {documents.items.length === 0 && (
            <p className="text-sm text-soft">{t('knowledge.pages.none')}</p>
          )}
          <ul aria-label={t('knowledge.pages.title')}>
            {documents.items.map((one) => (
              <li key={one.id} className="border-t border-line py-2.5 first:border-t-0">
                <ReadPage document={one} isOpen={one.id === shown} sourceId={source.id} />
              </li>
            ))}
          </ul>
          {documents.hasMore && (
            <Button className="mt-2" busy={documents.isLoadingMore} onClick={documents.more}>
              {t('common.more')}
            </Button>
          )}
        </Card>
      )}
    </>
  )
}

/** Browsers open a PDF at the page that a fragment names. */
function pageAddressOf(source: Source, url: string | null, page: number): string | null {
  if (source.crawl === null)
    return `${basePath}/api/dashboard/sources/${source.id}/pdf#page=${page}`
  const address = safeAddress(url)
  return address === null ? null : `${address.replace(/#.*$/, '')}#page=${page}`
}

type Failed = OutputOf<'list_source_documents'>['failed']

function FailedPages({ pages }: { readonly pages: Failed }) {
  if (pages.length === 0) return null
  return (
    <Card>
      <CardHeading title={t('knowledge.pages.failed')} />
      <ul aria-label={t('knowledge.pages.failed')}>
        {pages.map(({ url, message }) => (
          <li key={url} className="border-t border-line py-2.5 first:border-t-0">
            <WebAddress address={url} />
            <p className="text-sm text-warn">{message}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface ReadPageProps {
  readonly document: ItemOf<'list_source_documents'>
  readonly sourceId: string
  readonly isOpen: boolean
}

function ReadPage({ document, sourceId, isOpen }: ReadPageProps) {
  const { app_name_id: appId } = useAgent()
  const { id, title, url, status, chunk_count: count, checked_at: when } = document
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/agents/$appId/knowledge/$sourceId"
          params={{ appId, sourceId }}
          search={{ document: id }}
          aria-current={isOpen ? 'true' : undefined}
          className="min-w-0 text-sm font-medium break-words hover:underline aria-[current]:text-accent"
        >
          {title ?? url ?? t('knowledge.pages.untitled')}
        </Link>
        {status === 'building' && <Badge tone="accent">{t('knowledge.status.processing')}</Badge>}
      </p>
      {url !== null && <WebAddress address={url} />}
      <p className="flex flex-wrap gap-x-3 text-[0.8125rem] text-soft">
        {status === 'ready' && <span>{t('knowledge.chunks', { count })}</span>}
        <span>{t('knowledge.readAt', { when: formatRelative(when) })}</span>
      </p>
    </>
  )
}
