import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { readAnalysisState } from './analysis-store.ts'
import { analysisVersion } from '#features/text-analysis/index.ts'
import { rebuildIndex } from './rebuild-index.ts'

/**
 * Brings an index to the terms that this version makes of a text, in the background, going on where an
 * earlier run was cut off. Until then a chunk is found by the terms it has. To be run at every start.
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
    ctx.log.info({ count, version: analysisVersion }, 'passages of knowledge were indexed anew')
  },
})
