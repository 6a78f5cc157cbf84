import { randomUUID } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Engine, Tx } from '#platform/db/database.ts'
import { bytesOf, sumOf } from './segment-content.ts'
import type { Entry, SegmentChunks, SegmentContent } from './segment.ts'
import type { SegmentStatus } from './segment-status.ts'

interface NewSegment extends SegmentChunks {
  readonly agentId: string
  readonly documentId: string | null
  readonly status: SegmentStatus
}

/** Segments below this size are of tier 0; each tier above has eight times as many chunks. */
const tierZeroChunks = 512

export function tierOf(chunks: number): number {
  return Math.max(0, Math.ceil(Math.log2((chunks + 1) / tierZeroChunks) / 3))
}

/** @returns the id of the segment, which has no entries yet */
export async function insertSegment(tx: Tx, segment: NewSegment): Promise<number> {
  const { ids, lengths } = segment
  const row = {
    name: randomUUID(),
    agent_id: segment.agentId,
    document_id: segment.documentId,
    status: segment.status,
    tier: tierOf(ids.length),
    chunk_count: ids.length,
    term_count: sumOf(lengths),
    chunk_ids: bytesOf(ids),
    lengths: bytesOf(lengths),
  }
  const { id } = await tx
    .insertInto('knowledge_segments')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Adds entries in one statement: all postings are one value, from which each row takes its part. */
export async function insertEntries(
  tx: Tx,
  engine: Engine,
  segmentId: number,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return
  let at = 1
  const rows = entries.map(({ term, count, postings }) => {
    const row = [term, count, at, postings.length]
    at += postings.length
    return row
  })
  const bytes = Buffer.concat(entries.map(({ postings }) => postings))
  await sql`
    insert into knowledge_entries (segment_id, term, chunk_count, postings)
    select
      cast(${segmentId} as bigint),
      value ->> 0,
      cast(value ->> 1 as integer),
      substr(${bytesParameter(engine, bytes)}, cast(value ->> 2 as integer), cast(value ->> 3 as integer))
    from ${listOf(engine, rows)}
  `.execute(tx)
}

/** A step: a segment of one document. */
export async function addSegment(
  tx: Tx,
  engine: Engine,
  segment: Omit<NewSegment, keyof SegmentChunks>,
  content: SegmentContent,
): Promise<void> {
  const id = await insertSegment(tx, { ...segment, ids: content.ids, lengths: content.lengths })
  await insertEntries(tx, engine, id, content.entries)
}

/** The elements of a list as rows with the column `value`. */
export function listOf(engine: Engine, list: readonly unknown[]): RawBuilder<unknown> {
  const text = JSON.stringify(list)
  return engine === 'sqlite'
    ? sql`json_each(${text}) as element`
    : sql`json_array_elements(${text}::json) as element (value)`
}

function bytesParameter(engine: Engine, bytes: Uint8Array): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`${bytes}` : sql`${bytes}::bytea`
}

/** A step: searches find the document's segments from the commit on. */
export async function publishSegments(tx: Tx, documentId: string): Promise<void> {
  await tx
    .updateTable('knowledge_segments')
    .set({ status: 'live' satisfies SegmentStatus })
    .where('document_id', '=', documentId)
    .where('status', '=', 'building' satisfies SegmentStatus)
    .execute()
}

/** A step: deletes what an interrupted run left of a document. */
export async function dropBuilding(tx: Tx, documentId: string): Promise<void> {
  await tx
    .updateTable('knowledge_segments')
    .set({ status: 'dropped' satisfies SegmentStatus })
    .where('document_id', '=', documentId)
    .where('status', '=', 'building' satisfies SegmentStatus)
    .execute()
}

/** A step: the segments that were built for a document replace those that searches find now. */
export async function replaceSegments(tx: Tx, documentId: string): Promise<void> {
  await sql`
    update knowledge_segments
    set status = case status when 'live' then 'dropped' else 'live' end
    where document_id = ${documentId} and status in ('building', 'live')
  `.execute(tx)
  await removeRuns(tx, sql`(${documentId})`)
}

async function removeRuns(tx: Tx, documents: RawBuilder<unknown>): Promise<void> {
  await sql`
    update knowledge_runs set is_removed = 1
    where document_id in ${documents} and is_removed = 0
  `.execute(tx)
}

/** Documents by their id, or all of a source. */
export interface DocumentsOf {
  readonly of: 'source_id' | 'document_id'
  readonly id: string
}

/** A step: searches no longer find the documents in any segment. */
export async function dropFromSegments(tx: Tx, { of, id }: DocumentsOf): Promise<void> {
  const documents =
    of === 'document_id'
      ? sql`(${id})`
      : sql`(select id from knowledge_documents where source_id = ${id})`
  await sql`
    update knowledge_segments set status = 'dropped'
    where document_id in ${documents} and status in ('building', 'live')
  `.execute(tx)
  await removeRuns(tx, documents)
}
