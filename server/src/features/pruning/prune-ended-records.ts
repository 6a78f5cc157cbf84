import { z } from 'zod'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { deleteEmptySessions, deleteOrphans } from './orphans.ts'
import { prunePlan } from './prune-plan.ts'
import { deleteEnded } from './prune-store.ts'

/** The most rows that one unit deletes: few, so that other units do not wait for it. */
const rowsAtOnce = 200

/** Deletes records that ended some days ago, in small units, until none is left. */
export const pruneEndedRecords = defineJob({
  kind: 'records.prune',
  input: z.object({}),
  everyMs: 60 * 60_000,
  maxAtOnce: 1,
  async run({ db, clock, config, log }: Context, _input, { signal }) {
    await deleteEmptySessions({ db, clock }, signal)
    const orphans = await deleteOrphans({ db }, signal)
    if (orphans > 0) log.info({ conversations: orphans }, 'deleted rows of deleted conversations')
    for (const one of prunePlan) {
      const days = one.days === null ? 0 : config[one.days]
      const before = clock.now() - days * dayMs
      let deleted = 0
      for (let last = rowsAtOnce; last === rowsAtOnce && !signal.aborted; deleted += last)
        last = await db.write((tx) => deleteEnded(tx, one, before, rowsAtOnce))
      if (deleted > 0) log.info({ table: one.table, deleted }, 'deleted records that had ended')
    }
  },
})
