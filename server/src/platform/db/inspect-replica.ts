import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from './postgres/postgres-driver.ts'
import {
  primaryQuery,
  ReplicaProgress,
  replicaQuery,
  type PrimaryRow,
  type ReplicaRow,
} from './replica-progress.ts'

const pauseMs = 20

/**
 * Compares a standby with its primary until it has applied what the primary had written at the start,
 * for at most `maxLagMs`.
 *
 * @throws Fault as `postgresFault` returns it
 */
export async function inspectReplica(
  url: string,
  readUrl: string,
  maxLagMs: number,
): Promise<{ readonly problem: string | null; readonly lagMs: number }> {
  return await withClient({ connectionString: url }, (primary) =>
    withClient({ connectionString: readUrl }, async (standby) => {
      const progress = new ReplicaProgress()
      const began = performance.now()
      for (;;) {
        const askedAt = performance.now()
        const end = await primary.query<PrimaryRow>(primaryQuery)
        const applied = await standby.query<ReplicaRow>(replicaQuery)
        const problem = progress.note(askedAt, end.rows[0], applied.rows[0], maxLagMs)
        const lagMs = Math.ceil(performance.now() - Math.max(progress.freshAt, began))
        if (problem !== null || progress.freshAt >= began) return { problem, lagMs }
        if (lagMs > maxLagMs) return { problem: `more than ${maxLagMs} ms behind`, lagMs }
        await sleep(pauseMs)
      }
    }),
  )
}
