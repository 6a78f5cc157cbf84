import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  abandonMerges,
  deleteSomeDropped,
  listCrowdedTiers,
  listWornSegments,
} from './merge-store.ts'
import { mergeSegments } from './merge-segments.ts'

/** A tier with this many segments is merged, so an agent with 100,000 chunks has about twenty. */
export const segmentsPerTier = 8

/** A segment with this share of removed chunks is written again. */
const wornShare = 0.2

const maxPauseMs = 100

/**
 * Merges small segments into larger ones, so that searches read few, and deletes what no search reads
 * any more. Every source that is added is a segment of its own.
 */
export const tendIndex = defineJob({
  kind: 'knowledge.tend_index',
  input: z.object({}),
  everyMs: 60_000,
  maxAtOnce: 1,
  async run(ctx: Context, _, { signal }) {
    await mergeCrowded(ctx, signal)
  },
})

export async function mergeCrowded(
  ctx: Pick<Context, 'db'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { db } = ctx
  // Only one run at a time merges, so these are of a run that died.
  await db.write(abandonMerges)
  await deleteDropped(ctx, signal)
  for (;;) {
    const crowded = await listCrowdedTiers(db.read, segmentsPerTier)
    for (const { agentId, ids } of crowded) await mergeSegments(ctx, agentId, ids, signal)
    if (crowded.length === 0) break
    await deleteDropped(ctx, signal)
  }
  for (const { id, agent_id } of await listWornSegments(db.read, { leastShare: wornShare }))
    await mergeSegments(ctx, agent_id, [id], signal)
  await deleteDropped(ctx, signal)
}

async function deleteDropped({ db }: Pick<Context, 'db'>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const startedAt = performance.now()
    if ((await db.write(deleteSomeDropped)) === 0) return
    await sleep(Math.min(2 * (performance.now() - startedAt), maxPauseMs))
  }
}
