import { sql, type Kysely } from 'kysely'
import { clockToleranceMs } from '#kernel/lease.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** A process that is alive renews its row well before the end of this time. */
export const aliveMs = 6_000
const farthestMs = sql.lit(aliveMs + clockToleranceMs)

/** Stores until when a process is alive, unless it renews it. */
export async function keepRunner(tx: Tx, id: string, aliveUntil: number): Promise<void> {
  const row = { id, alive_until: aliveUntil }
  await tx
    .insertInto('job_runners')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

const endedRunners = (db: Kysely<Schema>, given: { readonly now: number }) =>
  db
    .selectFrom('job_runners')
    .select(['id', 'alive_until'])
    .where((row) =>
      row.or([
        row('alive_until', '<=', given.now),
        row(sql`alive_until - ${farthestMs}`, '>', given.now),
      ]),
    )

/** The processes that have not renewed their rows. */
export async function findEnded(db: Database, now: number) {
  return await db.prepared(endedRunners).read({ now })
}

/** Makes the jobs of a process due and deletes its row, unless it has renewed it. @returns how many */
export async function releaseJobs(
  tx: Tx,
  { id, aliveUntil }: { readonly id: string; readonly aliveUntil: number },
  now: number,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('job_runners')
    .where('id', '=', id)
    .where('alive_until', '=', aliveUntil)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return 0
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ run_at: now })
    .where('status', '=', 'running')
    .where('lease_token', 'like', `${id} %`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
