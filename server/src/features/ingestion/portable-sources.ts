import { listOwned, requireAgent } from '#features/agents/index.ts'
import { listChunkTexts } from '#features/full-text/index.ts'
import { listDocumentRows, sourceFromRow, type SourceRow } from '#features/knowledge/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import type { NewUrlSource } from './add-url-source.ts'
import { readOriginal } from './read-original.ts'

interface PortableText {
  readonly kind: 'text'
  readonly title: string
  readonly url: string | null
  readonly isAnswer?: boolean
}

interface PortableFile {
  readonly kind: 'file'
  readonly title: string
  readonly filename: string
  readonly mediaType: string | null
}

/** A source to be copied to another agent: the settings with which it was added. */
export type PortableSource = PortableText | PortableFile | Omit<NewUrlSource, 'appId'>

/** A source of an agent with its bytes. Pages have none: they are fetched again. */
export interface SourceOrigin {
  readonly source: PortableSource
  readonly byteLength: number
  /** Pieces in order. Text is UTF-8. */
  readonly bytes: () => AsyncGenerator<Uint8Array>
}

/** What an agent knows. `leftOut` has the titles of sources that were never stored completely. */
export interface PortableKnowledge {
  readonly sources: readonly SourceOrigin[]
  readonly leftOut: readonly string[]
}

type Ports = Pick<Context, 'db' | 'objects' | 'log'>

/**
 * The sources of an agent in the order in which they were added. Their bytes are read later.
 *
 * @throws Fault record_not_found
 */
export async function readPortableSources(
  ctx: Ports,
  workspaceId: string,
  appId: string,
): Promise<PortableKnowledge> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const sources: SourceOrigin[] = []
  const leftOut: string[] = []
  const rows = await listOwned(ctx.db.read, 'knowledge_sources', agent.id)
  for (const row of rows.toReversed()) {
    const source = portable(row)
    const isWhole = row.stage !== 'storing' && (row.byte_length > 0 || isPages(row))
    const isLost = row.status === 'failed' && row.error_code === 'interrupted' && !isPages(row)
    if (source === null || !isWhole || isLost) leftOut.push(row.title)
    else sources.push({ source, byteLength: row.byte_length, bytes: () => originOf(ctx, row) })
  }
  return { sources, leftOut }
}

function isPages({ kind }: SourceRow): boolean {
  return kind === 'url' || kind === 'sitemap'
}

function portable(row: SourceRow): PortableSource | null {
  const { kind, title, url, filename, crawl, refreshEvery } = sourceFromRow(row)
  if (kind === 'text' || kind === 'answer')
    return { kind: 'text', title, url, isAnswer: kind === 'answer' }
  if (kind === 'file')
    return filename === null ? null : { kind, title, filename, mediaType: row.media_type }
  return url === null || crawl === null ? null : { kind, url, crawl, refreshEvery }
}

/** The stored bytes, or the chunks of a text that was added before its bytes were stored. */
async function* originOf(
  ctx: Ports,
  { id, kind, byte_length }: SourceRow,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of readOriginal(ctx, id)) {
    length += piece.length
    yield piece
  }
  if (length === byte_length) return
  // Deleted or replaced meanwhile: a part must not pass for the whole.
  if (length > 0 || kind !== 'text') throw new Fault(commonFaults.record_not_found)
  yield Buffer.from(await textOfChunks(ctx.db.read, id))
}

/** Chunks with their headings as Markdown: all the words in their order. */
async function textOfChunks(reader: Reader, sourceId: string): Promise<string> {
  const ready = (await listDocumentRows(reader, sourceId)).find(({ status }) => status === 'ready')
  if (ready === undefined) return ''
  let above: readonly string[] = []
  const parts = (await listChunkTexts(reader, ready.id)).flatMap(({ heading, text }) => {
    // readBlocks joins nested headings to `Returns › Fees`.
    const path = heading === '' ? [] : heading.split(' › ')
    const lines = headingLines(path, above)
    above = path
    return [...lines, text]
  })
  return parts.join('\n\n')
}

/** The headings of a path that were not written yet. */
function headingLines(path: readonly string[], above: readonly string[]): string[] {
  const differs = path.findIndex((name, depth) => name !== above[depth])
  const first = differs === -1 ? path.length : differs
  return path.slice(first).map((name, at) => `${'#'.repeat(Math.min(first + at + 1, 6))} ${name}`)
}
