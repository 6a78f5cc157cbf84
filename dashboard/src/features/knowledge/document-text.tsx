import { useEffect, useRef, useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { Markdown } from '#components/markdown.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
import { VirtualList } from '#components/virtual-list.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { Card, CardHeading } from '#ui/surfaces.tsx'

export interface DocumentTextProps {
  readonly sourceId: string
  readonly documentId: string
  /** Null if the page's own title is the document's. */
  readonly title: string | null
  /** The ordinal of the chunk that a citation quotes, which is highlighted. */
  readonly cited: number | null
  /** Where a page of the document is shown; undefined or null if there is no such place. */
  pageAddress?(page: number): string | null
}

/** How many chunks before a cited one are shown. */
const context = 5

/** The text of a document as it was read, chunk by chunk. */
export function DocumentText(props: DocumentTextProps) {
  const { sourceId, documentId, title, cited, pageAddress } = props
  // The list removes and adds the cited chunk while a person scrolls.
  const [isPlaced, setIsPlaced] = useState(false)
  const [from, setFrom] = useState(Math.max(0, (cited ?? 0) - context))
  const chunks = useOperationList('list_source_chunks', {
    source_id: sourceId,
    document_id: documentId,
    limit: 50,
    from,
  })
  return (
    <Card>
      <CardHeading
        title={title ?? t('knowledge.source.text')}
        hint={t('knowledge.source.textHint')}
      />
      {from > 0 && (
        <Button size="small" className="mb-3" onClick={() => setFrom(0)}>
          {t('knowledge.source.fromStart')}
        </Button>
      )}
      {chunks.error !== null ? (
        <ErrorState error={chunks.error} onRetry={chunks.refetch} />
      ) : chunks.isPending ? (
        <LoadingRows rows={3} />
      ) : (
        <VirtualList
          label={t('knowledge.source.chunks')}
          items={chunks.items}
          keyOf={({ ordinal }) => String(ordinal)}
          rowPixels={140}
          onEnd={chunks.onEnd}
        >
          {(chunk) => (
            <Chunk
              chunk={chunk}
              heading={headingOf(chunk, chunks.items)}
              isCited={chunk.ordinal === cited}
              pageAddress={pageAddress}
              scrollTo={chunk.ordinal === cited && !isPlaced ? () => setIsPlaced(true) : null}
            />
          )}
        </VirtualList>
      )}
    </Card>
  )
}

type ChunkItem = ItemOf<'list_source_chunks'>

/** Empty if it is that of the chunk before, which is at the place that the ordinals show. */
function headingOf({ ordinal, heading }: ChunkItem, items: readonly ChunkItem[]): string {
  const before = items[ordinal - (items[0]?.ordinal ?? 0) - 1]
  return before?.heading === heading ? '' : heading
}

interface ChunkProps {
  readonly chunk: ChunkItem
  /** Empty if it is that of the chunk before. */
  readonly heading: string
  readonly isCited: boolean
  readonly pageAddress: DocumentTextProps['pageAddress']
  /** Called when the chunk was scrolled to; null if it stays where it is. */
  readonly scrollTo: (() => void) | null
}

function Chunk({ chunk, heading, isCited, pageAddress, scrollTo }: ChunkProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (scrollTo === null) return
    place.current?.scrollIntoView({ block: 'center' })
    scrollTo()
  }, [scrollTo])
  const { ordinal, page, text } = chunk
  return (
    <div
      ref={place}
      aria-current={isCited ? 'true' : undefined}
      className={classNames(
        'rounded-lg border-l-2 px-3.5 py-2.5',
        isCited ? 'border-accent bg-accent-ground' : 'border-transparent hover:border-line',
      )}
    >
      {heading !== '' && <h3 className="mb-1 text-sm font-semibold break-words">{heading}</h3>}
      <div className="text-sm">
        <Markdown text={text} />
      </div>
      <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-soft">
        <span>{t('knowledge.source.chunk', { number: ordinal + 1 })}</span>
        {page !== null && <PageOf page={page} address={pageAddress?.(page) ?? null} />}
        {isCited && <span className="font-medium text-accent">{t('knowledge.source.cited')}</span>}
      </p>
    </div>
  )
}

function PageOf({ page, address }: { readonly page: number; readonly address: string | null }) {
  if (address === null) return <span>{t('knowledge.search.page', { page })}</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent hover:underline"
    >
      {t('knowledge.source.openAtPage', { page })}
      <span className="sr-only">{t('shell.newTab')}</span>
    </a>
  )
}
