import { useEffect, useRef, useState } from 'react'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperationList } from '#api/use-operation.ts'
import { Markdown } from '#components/markdown.tsx'
import { ErrorState, LoadingRows } from '#components/states.tsx'
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
}

/** How many chunks before a cited one are shown. */
const context = 5

/** The text of a document as it was read, chunk by chunk. */
export function DocumentText({ sourceId, documentId, title, cited }: DocumentTextProps) {
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
        <ol aria-label={t('knowledge.source.chunks')}>
          {chunks.items.map((chunk, at) => (
            <li key={chunk.ordinal}>
              <Chunk
                chunk={chunk}
                heading={chunk.heading === chunks.items[at - 1]?.heading ? '' : chunk.heading}
                isCited={chunk.ordinal === cited}
              />
            </li>
          ))}
        </ol>
      )}
      {chunks.hasMore && (
        <Button className="mt-3" busy={chunks.isLoadingMore} onClick={chunks.more}>
          {t('common.more')}
        </Button>
      )}
    </Card>
  )
}

interface ChunkProps {
  readonly chunk: ItemOf<'list_source_chunks'>
  /** Empty if it is that of the chunk before. */
  readonly heading: string
  readonly isCited: boolean
}

function Chunk({ chunk, heading, isCited }: ChunkProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isCited) place.current?.scrollIntoView({ block: 'center' })
  }, [isCited])
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
        {page !== null && <span>{t('knowledge.search.page', { page })}</span>}
        {isCited && <span className="font-medium text-accent">{t('knowledge.source.cited')}</span>}
      </p>
    </div>
  )
}
