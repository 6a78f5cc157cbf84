import {
  charsetOf,
  formatOf,
  knownExtensions,
  type DocumentFormat,
} from '#features/file-readers/index.ts'
import { vectorIndex } from '#features/embeddings/index.ts'
import { listDocumentRows, type SourceError } from '#features/knowledge/index.ts'
import { Fault } from '#kernel/fault.ts'
import { buildDocument, type Ingestion } from './build-document.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { leftOutError, notWhole } from './left-out-pages.ts'
import { publishDocument } from './publish-document.ts'
import { readOriginal } from './read-original.ts'

/** Formats that are read as their bytes arrive: the bytes sent show the progress. */
const streamed: ReadonlySet<DocumentFormat> = new Set(['text', 'csv'])

/** Reads the bytes of a file or a text, unless a document of the same bytes exists. */
export async function ingestFile(ingestion: Ingestion): Promise<SourceError | null> {
  const { ctx, source } = ingestion
  const { filename, title, media_type: mediaType, sha256 } = source
  const format = formatOf({ filename, mediaType })
  if (format === null)
    throw new Fault(ingestionFaults.source_format_unknown, { known: knownExtensions })
  const [present] = await listDocumentRows(ctx.db.read, source.id)
  if (present?.status === 'ready' && present.sha256 === sha256) return null
  const charset = charsetOf(mediaType)
  const sent = { bytes: 0 }
  // Below 1, because the last piece is sent before it has been read.
  const partSent = () => Math.min(0.99, sent.bytes / Math.max(1, source.byte_length))
  const { head, document, lostPages } = await buildDocument(ingestion, {
    task: { format, charset, url: null, title, fallbackTitle: title },
    bytes: piecesOf(ingestion, sent),
    given: { sha256 },
    wants: () => true,
    progress: streamed.has(format) ? partSent : (part) => part,
  })
  if (document === null) throw new Fault(ingestionFaults.source_empty)
  const { id } = document
  const replaces = present?.status === 'ready' ? { replaces: present.id } : {}
  const whole = lostPages.length === 0 ? {} : notWhole
  const change = { page_count: head.pageCount, ...whole, ...replaces }
  await ctx.db.write(async (tx) => {
    await publishDocument(tx, ctx, id, change)
    // Chunks with the same text and title are not embedded again: see forgetVersions.
    if (present !== undefined && present.sha256 !== null)
      await vectorIndex(ctx.db).inherit(tx, present.id, id)
  })
  return leftOutError(filename ?? title, lostPages)
}

async function* piecesOf(
  { ctx, source }: Ingestion,
  sent: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of readOriginal(ctx, source.id)) {
    yield piece
    sent.bytes += piece.length
  }
}
