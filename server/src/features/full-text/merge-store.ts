import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import { maxSegmentChunks } from './segment-content.ts'
import type { Run, RunRow, SegmentRow, StoredEntry } from './segment.ts'
import { listOf } from './segment-store.ts'
import type { SegmentStatus } from './segment-status.ts'

const mostMerged = 64
const rowsAtOnce = 1000
/** Read by the scan worker; fewer are written, because each term becomes one entry. */
const entriesPerPage = 4000

interface Crowded {
  readonly agentId: string
  readonly ids: number[]
}

/** Segments of one agent and tier that are to be merged, at most `mostMerged`, the oldest first. */
export async function listCrowdedTiers(reader: Reader, atLeast: number): Promise<Crowded[]> {
  const tiers = await reader
    .selectFrom('knowledge_segments')
    .select(['agent_id', 'tier'])
    .where('status', '=', 'live' satisfies SegmentStatus)
    .where('tier', '<', tierOfLargest)
    .groupBy(['agent_id', 'tier'])
    .having((e) => e.fn.countAll(), '>=', atLeast)
    .limit(100)
    .execute()
  const crowded: Crowded[] = []
  for (const { agent_id: agentId, tier } of tiers)
    crowded.push({ agentId, ids: await listTier(reader, agentId, tier) })
  return crowded.filter(({ ids }) => ids.length > 1)
}

/** Segments of this tier are not merged: eight of the tier below fill them. */
const tierOfLargest = 3

async function listTier(reader: Reader, agentId: string, tier: number): Promise<number[]> {
  const rows = await reader
    .selectFrom('knowledge_segments')
    .select(['id', 'chunk_count'])
    .where('agent_id', '=', agentId)
    .where('status', '=', 'live' satisfies SegmentStatus)
    .where('tier', '=', tier)
    .orderBy('id')
    .limit(mostMerged)
    .execute()
  let sum = 0
  return rows
    .filter(({ chunk_count }) => (sum += chunk_count) <= maxSegmentChunks)
    .map(({ id }) => id)
}

/** Live segments with more than this share of removed chunks. */
export async function listWornSegments(
  reader: Reader,
  { leastShare }: { readonly leastShare: number },
) {
  const { rows } = await sql<{ id: number; agent_id: string }>`
    select segment.id, segment.agent_id
    from (
      select segment_id, sum(chunk_count) as removed from knowledge_runs
      where is_removed = 1 group by segment_id
    ) as worn
    join knowledge_segments as segment on segment.id = worn.segment_id
    where segment.status = 'live' and worn.removed > segment.chunk_count * cast(${leastShare} as double precision)
  `.execute(reader)
  return rows
}

export async function abandonMerges(tx: Tx): Promise<void> {
  await tx
    .updateTable('knowledge_segments')
    .set({ status: 'dropped' satisfies SegmentStatus })
    .where('status', '=', 'merging' satisfies SegmentStatus)
    .execute()
}

/** Deletes some rows of a dropped segment. @returns how many */
export async function deleteSomeDropped(tx: Tx): Promise<number> {
  const segment = await tx
    .selectFrom('knowledge_segments')
    .select('id')
    .where('status', '=', 'dropped')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (segment === undefined) return 0
  for (const [table, key] of [
    ['knowledge_entries', 'term'],
    ['knowledge_runs', 'first_number'],
  ] as const) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)}
      where segment_id = ${segment.id} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)}
        where segment_id = ${segment.id} order by ${sql.ref(key)} limit ${sql.lit(rowsAtOnce)}
      )
    `.execute(tx)
    if (numAffectedRows > 0n) return Number(numAffectedRows)
  }
  await tx.deleteFrom('knowledge_segments').where('id', '=', segment.id).execute()
  return 1
}

/**
 * The entries of the next terms after this one, in the order of their terms and segments. The page ends
 * at the same term in all segments.
 */
export async function readEntryPage(
  reader: Reader,
  ids: readonly number[],
  after: string,
): Promise<{ readonly entries: readonly StoredEntry[]; readonly isLast: boolean }> {
  const termsPerSegment = Math.max(50, Math.ceil(entriesPerPage / ids.length))
  const ends: string[] = []
  for (const id of ids) {
    const end = await reader
      .selectFrom('knowledge_entries')
      .select('term')
      .where('segment_id', '=', id)
      .where('term', '>', after)
      .orderBy('term')
      .offset(termsPerSegment)
      .limit(1)
      .executeTakeFirst()
    if (end !== undefined) ends.push(end.term)
  }
  const end = leastOf(ends)
  let query = reader
    .selectFrom('knowledge_entries')
    .selectAll()
    .where('segment_id', 'in', ids)
    .where('term', '>', after)
    .orderBy('term')
    .orderBy('segment_id')
  if (end !== null) query = query.where('term', '<=', end)
  return { entries: await query.execute(), isLast: end === null }
}

/** In the order of UTF-8, as both engines sort terms. */
function leastOf(terms: readonly string[]): string | null {
  const sorted = terms
    .map((term) => Buffer.from(term))
    .sort((one, other) => Buffer.compare(one, other))
  return sorted[0]?.toString() ?? null
}

export function findSegments(reader: Reader, ids: readonly number[]): Promise<SegmentRow[]> {
  return reader
    .selectFrom('knowledge_segments')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** The runs of merged segments, in order. */
export function listRuns(reader: Reader, segmentIds: readonly number[]): Promise<RunRow[]> {
  return reader
    .selectFrom('knowledge_runs')
    .selectAll()
    .where('segment_id', 'in', segmentIds)
    .orderBy('segment_id')
    .orderBy('first_number')
    .execute()
}

export async function insertRuns(
  tx: Tx,
  engine: Engine,
  segmentId: number,
  runs: readonly Run[],
): Promise<void> {
  const rows = runs.map(({ first, count, documentId }) => [first, count, documentId])
  await sql`
    insert into knowledge_runs (segment_id, first_number, chunk_count, document_id)
    select
      cast(${segmentId} as bigint), cast(value ->> 0 as integer), cast(value ->> 1 as integer),
      value ->> 2
    from ${listOf(engine, rows)}
  `.execute(tx)
}

/** False when another run has abandoned the merge. */
export async function isMerging(tx: Tx, id: number): Promise<boolean> {
  return (await listStatuses(tx, [id])).get(id) === 'merging'
}

export async function listStatuses(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await tx
    .selectFrom('knowledge_segments')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** @param lost documents of the inputs that were removed while they were merged */
export async function completeMerge(
  tx: Tx,
  id: number,
  inputs: readonly number[],
  lost: readonly string[],
): Promise<void> {
  if (lost.length > 0)
    await tx
      .updateTable('knowledge_runs')
      .set({ is_removed: 1 })
      .where('segment_id', '=', id)
      .where('document_id', 'in', lost)
      .execute()
  const set = (ids: readonly number[], status: SegmentStatus) =>
    tx.updateTable('knowledge_segments').set({ status }).where('id', 'in', ids).execute()
  await set(inputs, 'dropped')
  await set([id], 'live')
}
