import { createHash } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { chunkText, type Chunk } from './chunk-text.ts'
import { clearSource } from './clear-source.ts'
import { finishSource } from './finish-source.ts'
import { analyseChunks, indexChunks } from './index-chunks.ts'
import { knowledgeFaults } from './knowledge-faults.ts'
import { sourceFromRow, type Source } from './source.ts'
import {
  countSources,
  deleteSourceRow,
  insertSource,
  updateProcessingSource,
  type SourceRow,
} from './store.ts'

export interface NewTextSource {
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly title: string
  /** Plain text or Markdown. */
  readonly text: string
  /** Where a reader finds it: citations lead there. */
  readonly url?: string
}

type Ports = Pick<Context, 'db' | 'clock' | 'config'>

/** One unit of work adds this many: on SQLite about ten milliseconds, when nothing else runs. */
const chunksPerUnit = 200

/**
 * Adds a text to what an agent knows; searches find it when this returns.
 *
 * A text that takes several units is `processing`, and in no search result, until the last one. The
 * same text added twice is two sources.
 *
 * @throws Fault source_too_large, source_empty, plan_limit_reached, record_not_found (also when the
 *   source is deleted while it is being added)
 */
export async function addTextSource(
  ctx: Ports,
  workspaceId: string,
  input: NewTextSource,
): Promise<Source> {
  const text = readableText(input.text, ctx.config.maxTextSourceBytes)
  const title = storable(input.title)
  const [first, ...rest] = batchesOf(chunkText(text))
  if (first === undefined) throw new Fault(knowledgeFaults.source_empty)
  const analysed = analyseChunks(title, first)
  const source = await ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, input.appId)
    await requireRoom(tx, workspaceId, 'sourcesPerAgent', () => countSources(tx, agent.id))
    const given = { workspaceId, agentId: agent.id, title, text, url: input.url ?? null }
    const row = newTextRow(ctx.clock.now(), given)
    await insertSource(tx, row)
    await indexChunks(tx, ctx.db, row, analysed)
    return rest.length === 0 ? await finishSource(tx, ctx.clock.now(), row.id) : row
  })
  if (source.status === 'ready') return sourceFromRow(source)
  return sourceFromRow(await addRest(ctx, source, rest))
}

/** The units after the first. Whatever stops them takes the whole source back. */
async function addRest(
  ctx: Ports,
  source: SourceRow,
  batches: readonly Chunk[][],
): Promise<SourceRow> {
  try {
    for (const batch of batches) {
      const analysed = analyseChunks(source.title, batch)
      await ctx.db.write(async (tx) => {
        await keepProcessing(tx, ctx.clock.now(), source.id)
        await indexChunks(tx, ctx.db, source, analysed)
      })
    }
    return await ctx.db.write((tx) => finishSource(tx, ctx.clock.now(), source.id))
  } catch (error) {
    await ctx.db.write(async (tx) => {
      await clearSource(tx, ctx.db, source)
      await deleteSourceRow(tx, source.id)
    })
    throw error
  }
}

/** Says that somebody still works on it. @throws Fault record_not_found when it was deleted */
async function keepProcessing(tx: Tx, now: number, sourceId: string): Promise<void> {
  const row = await updateProcessingSource(tx, sourceId, { updated_at: now })
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
}

/** @throws Fault source_too_large */
function readableText(text: string, limitBytes: number): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= limitBytes) return storable(text)
  throw new Fault(knowledgeFaults.source_too_large, { bytes, limit_bytes: limitBytes })
}

/** Without what PostgreSQL refuses: halves of surrogate pairs, and the null character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

function batchesOf(chunks: readonly Chunk[]): Chunk[][] {
  const batches: Chunk[][] = []
  for (let at = 0; at < chunks.length; at += chunksPerUnit)
    batches.push(chunks.slice(at, at + chunksPerUnit))
  return batches
}

function newTextRow(
  now: number,
  source: Pick<SourceRow, 'title' | 'url'> & { workspaceId: string; agentId: string; text: string },
): SourceRow {
  return {
    id: newId(now),
    workspace_id: source.workspaceId,
    agent_id: source.agentId,
    kind: 'text',
    title: source.title,
    url: source.url,
    status: 'processing',
    error_code: null,
    byte_length: Buffer.byteLength(source.text),
    sha256: createHash('sha256').update(source.text).digest('hex'),
    chunk_count: 0,
    token_count: 0,
    created_at: now,
    updated_at: now,
  }
}
