import { createHash } from 'node:crypto'
import { awaitEmbedding, embedderOf, type Embedder } from '#features/embeddings/index.ts'
import { indexChunks } from '#features/full-text/index.ts'
import {
  clearSource,
  insertDocument,
  updateDocument,
  sourceFromRow,
  deleteSourceRow,
  updateSource,
  type DocumentRow,
  type Source,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { analyseChunksInSlices, chunkInSlices, type Chunk } from '#features/text-analysis/index.ts'
import { pieceBytes } from '#kernel/byte-pieces.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { storableText } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertPiece } from './file-store.ts'
import { finishSource } from './finish-source.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { insertNewSource, newDocumentRow } from './new-rows.ts'
import { publishDocument } from './publish-document.ts'

export interface NewTextSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly title: string
  /** Plain text or Markdown. */
  readonly text: string
  /** Whether it answers the question that is its title, and outranks others. */
  readonly isAnswer?: boolean
  /** The address that citations link to. */
  readonly url?: string
}

type Ports = Pick<Context, 'db' | 'clock' | 'config' | 'jobs' | 'models' | 'modelSlots' | 'vault'>

/** Adding this many takes about ten milliseconds on an idle SQLite. */
const chunksPerUnit = 200

/**
 * Adds a text to an agent's knowledge. Full text finds it when this returns; if an embedding model is
 * configured, the source stays `processing` until it has vectors.
 *
 * A text that takes several units is `processing`, and not searched, until the last one. The same text
 * added twice is two sources.
 *
 * @throws Fault source_too_large, source_empty, plan_limit_reached, limit_reached, record_not_found (also when the
 *   source is deleted while it is being added)
 */
export async function addTextSource(
  ctx: Ports,
  workspaceId: string,
  input: NewTextSource,
): Promise<Source> {
  const text = readableText(input.text, ctx.config.maxTextSourceBytes)
  const title = storableText(input.title)
  const chunks = await chunkInSlices(text)
  const [first, ...rest] = batchesOf(chunks)
  if (first === undefined) throw new Fault(ingestionFaults.source_empty)
  const analysed = await analyseChunksInSlices(title, first)
  const embedder = await embedderOf(ctx, workspaceId)
  const byte_length = Buffer.byteLength(text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const is_answer = input.isAnswer === true ? 1 : 0
  const columns = { kind: 'text', title, url: input.url ?? null, byte_length, sha256, is_answer }
  const added = await ctx.db.write(async (tx) => {
    const owner = { workspaceId, appId: input.appId }
    const row = await insertNewSource(tx, ctx, owner, columns, chunks.length)
    const document = newDocumentRow(row.created_at, row, { sha256: row.sha256 })
    await keepText(tx, row.id, text)
    await insertDocument(tx, document)
    await indexChunks(tx, ctx.db, document, analysed)
    const stored = rest.length === 0 ? await finish(tx, ctx, document, embedder) : row
    return { row: stored, document, embedder }
  })
  if (rest.length === 0) return sourceFromRow(added.row)
  return sourceFromRow(await addRest(ctx, added, rest))
}

/** Stores the original text: its chunks alone would lose what was between them. */
export async function keepText(tx: Tx, sourceId: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await insertPiece(tx, sourceId, at / pieceBytes, bytes.subarray(at, at + pieceBytes))
}

interface Begun {
  readonly row: SourceRow
  readonly document: DocumentRow
  readonly embedder: Embedder | null
}

/** Adds the remaining chunks in further units. Any failure deletes the whole source. */
async function addRest(
  ctx: Ports,
  { row: source, document, embedder }: Begun,
  batches: readonly Chunk[][],
): Promise<SourceRow> {
  try {
    for (const batch of batches) {
      const analysed = await analyseChunksInSlices(source.title, batch)
      await ctx.db.write(async (tx) => {
        await keepStoring(tx, ctx.clock.now(), document)
        await indexChunks(tx, ctx.db, document, analysed)
      })
    }
    return await ctx.db.write((tx) => finish(tx, ctx, document, embedder))
  } catch (error) {
    await ctx.db.write(async (tx) => {
      await clearSource(tx, ctx.db, source)
      await deleteSourceRow(tx, source.id)
    })
    throw error
  }
}

async function finish(
  tx: Tx,
  ctx: Ports,
  document: DocumentRow,
  embedder: Embedder | null,
): Promise<SourceRow> {
  const now = ctx.clock.now()
  await publishDocument(tx, ctx, document.id)
  const row = await finishSource(tx, now, document.source_id)
  return await awaitEmbedding(tx, ctx, row, embedder)
}

/**
 * Marks the source as still being stored.
 *
 * @throws Fault record_not_found when it was deleted meanwhile
 */
async function keepStoring(tx: Tx, now: number, document: DocumentRow): Promise<void> {
  const isThere = await updateDocument(tx, document, { updated_at: now })
  if (isThere === undefined) throw new Fault(commonFaults.record_not_found)
  await updateSource(tx, document.source_id, { updated_at: now })
}

/** @throws Fault source_too_large */
export function readableText(text: string, limitBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= limitBytes) return storableText(text)
  throw new Fault(ingestionFaults.source_too_large, { bytes, limit_bytes: limitBytes })
}

function batchesOf(chunks: readonly Chunk[]): Chunk[][] {
  const batches: Chunk[][] = []
  for (let at = 0; at < chunks.length; at += chunksPerUnit)
    batches.push(chunks.slice(at, at + chunksPerUnit))
  return batches
}
