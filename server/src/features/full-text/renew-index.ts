import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { readAnalysisState, writeAnalysisState } from './analysis-store.ts'
import { lastChunkId } from './chunk-store.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'
import { rebuildIndex } from './rebuild-index.ts'

/**
 * Re-indexes every chunk in the background when the analyser has changed, and resumes an interrupted
 * run. Until then a chunk is found by its old terms. Must be enqueued at every start.
 */
export const renewIndex = defineJob({
  kind: 'knowledge.renew_index',
  input: z.object({}),
  everyMs: 24 * 60 * 60 * 1000,
  async run(ctx: Context, _, { signal }) {
    const state = await readAnalysisState(ctx.db.read)
    const isBegun = state?.version === analysisVersion
    if (isBegun && state.after === null) return
    const after = isBegun ? (state.after ?? 0) : 0
    const pace = { after, chunksPerUnit: 50, isBackground: true, signal }
    const count = await rebuildIndex(ctx, pace)
    ctx.log.info({ count, version: analysisVersion }, 're-indexed the chunks of all agents')
  },
})

/** Marks an empty index as up to date, so that `renewIndex` has nothing to do. */
export async function noteEmptyIndex({ db }: Pick<Context, 'db'>): Promise<void> {
  if ((await readAnalysisState(db.read)) !== undefined) return
  await db.write(async (tx) => {
    if ((await lastChunkId(tx)) > 0 || (await readAnalysisState(tx)) !== undefined) return
    await writeAnalysisState(tx, { version: analysisVersion, after: null })
  })
}
