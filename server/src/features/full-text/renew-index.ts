import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { indexDocuments } from './index-documents.ts'
import { listWornSegments } from './merge-store.ts'
import { mergeSegments } from './merge-segments.ts'

/**
 * Adds documents of the former index to segments, indexes documents again when the analyser has changed,
 * and writes segments with removed chunks again, so that no term of a deleted text stays for longer than
 * a day.
 */
export const renewIndex = defineJob({
  kind: 'knowledge.renew_index',
  input: z.object({}),
  everyMs: 24 * 60 * 60 * 1000,
  async run(ctx: Context, _, { signal }) {
    const count = await indexDocuments(ctx, { isBackground: true, signal })
    if (count > 0) ctx.log.info({ count }, 'chunks were indexed again')
    for (const { id, agent_id } of await listWornSegments(ctx.db.scan, { leastShare: 0 }))
      await mergeSegments(ctx, agent_id, [id], signal)
  },
})
