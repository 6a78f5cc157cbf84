import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import {
  completeMerge,
  findSegments,
  insertRuns,
  isMerging,
  listRuns,
  listStatuses,
  readEntryPage,
} from './merge-store.ts'
import { planMerge, type MergePlan } from './plan-merge.ts'
import { PostingWriter } from './postings.ts'
import { readPostings } from './rank-segments.ts'
import { entryOf } from './segment-content.ts'
import type { Entry, RunRow, SegmentRow, StoredEntry } from './segment.ts'
import { insertEntries, insertSegment } from './segment-store.ts'

const maxPauseMs = 100
const runsPerUnit = 1000

/**
 * Writes segments of an agent as one, without removed chunks, in small units. Searches read the new
 * segment from its last unit on, which also takes over what was removed meanwhile. What an interrupted
 * merge leaves, the next run of `tendIndex` deletes.
 */
export async function mergeSegments(
  { db }: Pick<Context, 'db'>,
  agentId: string,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const inputs = await findSegments(db.scan, ids)
  if (inputs.length < ids.length || inputs.some(({ status }) => status !== 'live')) return
  const runs = await listRuns(db.scan, ids)
  const plan = planMerge(inputs, runs)
  const target = { agentId, documentId: null, status: 'merging', ...plan } as const
  const id = await db.write((tx) => insertSegment(tx, target))
  for (let at = 0; at < plan.runs.length; at += runsPerUnit)
    await db.write((tx) => insertRuns(tx, db.engine, id, plan.runs.slice(at, at + runsPerUnit)))
  if (await copyEntries(db, id, plan, signal))
    await db.write((tx) => replaceInputs(tx, id, inputs, runs))
}

/** @returns false when another run has abandoned the merge */
async function copyEntries(
  db: Database,
  id: number,
  { numbering }: MergePlan,
  signal: AbortSignal,
): Promise<boolean> {
  for (let after = '', isDone = false; !isDone;) {
    signal.throwIfAborted()
    const page = await readEntryPage(db.scan, [...numbering.keys()], after)
    const startedAt = performance.now()
    const entries = mergedEntries(page.entries, numbering)
    const isOurs = await db.write(async (tx) => {
      if (!(await isMerging(tx, id))) return false
      await insertEntries(tx, db.engine, id, entries)
      return true
    })
    if (!isOurs) return false
    after = page.entries.at(-1)?.term ?? after
    isDone = page.isLast
    await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
  }
  return true
}

function mergedEntries(stored: readonly StoredEntry[], numbering: MergePlan['numbering']): Entry[] {
  const merged: Entry[] = []
  for (const [term, entries] of Map.groupBy(stored, ({ term }) => term)) {
    const writer = new PostingWriter()
    for (const { segment_id, postings, chunk_count } of entries) {
      const newNumbers = numbering.get(segment_id)
      const { numbers, frequencies, count } = readPostings(postings, chunk_count)
      for (let at = 0; at < count; at += 1) {
        const number = newNumbers?.[numbers[at] ?? 0] ?? -1
        if (number >= 0) writer.add(number, frequencies[at] ?? 1)
      }
    }
    if (writer.count > 0) merged.push(entryOf(term, writer))
  }
  return merged
}

/** A step: the new segment takes the place of its inputs, without the documents that they lost meanwhile. */
async function replaceInputs(
  tx: Tx,
  id: number,
  inputs: readonly SegmentRow[],
  runsBefore: readonly RunRow[],
): Promise<void> {
  if (!(await isMerging(tx, id))) return
  const ids = inputs.map((segment) => segment.id)
  const statuses = await listStatuses(tx, ids)
  const lost = inputs.flatMap((segment) =>
    segment.document_id !== null && statuses.get(segment.id) !== 'live'
      ? [segment.document_id]
      : [],
  )
  const removedBefore = new Set(runsBefore.filter(isRemoved).map(placeOf))
  const removedSince = (await listRuns(tx, ids)).filter(
    (run) => isRemoved(run) && !removedBefore.has(placeOf(run)),
  )
  await completeMerge(tx, id, ids, [...lost, ...removedSince.map(({ document_id }) => document_id)])
}

function isRemoved({ is_removed }: RunRow): boolean {
  return is_removed === 1
}

function placeOf({ segment_id, first_number }: RunRow): string {
  return `${segment_id} ${first_number}`
}
