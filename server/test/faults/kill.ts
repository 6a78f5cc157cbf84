import { sql } from 'kysely'
import type { Database } from '#platform/db/database.ts'
import type { ParleyProcess } from '#test/support/parley-process.ts'
import { until } from '#test/support/until.ts'
import { connectionName } from './service-environment.ts'

/** Kills a service as a crash does, at once, and waits until nothing of it can change any more. */
export async function kill(service: ParleyProcess, db: Database): Promise<void> {
  service.signal('SIGKILL')
  await service.finished
  await untilForgotten(db)
}

/**
 * PostgreSQL carries out what it has been sent, and commits it, before it notices that the sender is
 * gone: what a test read before that could be another state in the next moment.
 */
export async function untilForgotten(db: Database): Promise<void> {
  if (db.engine === 'sqlite') return
  const connections = sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = ${connectionName}`
  await until(
    'the database has noticed the death of the service',
    async () => (await connections.execute(db.read)).rows.length === 0,
  )
}

/** Longer than the leases of the dead, and than the time that a provider has. */
const pastMs = 120_000

/** As if every process had been dead for so long: what one held is over, and what waited is due. */
export async function letTimePass(db: Database): Promise<void> {
  await db.write(async (tx) => {
    await tx
      .updateTable('jobs')
      .set((e) => ({ run_at: e('run_at', '-', pastMs) }))
      .execute()
    await tx
      .updateTable('idempotency_records')
      .set((e) => ({ lease_until: e('lease_until', '-', pastMs) }))
      .execute()
    await tx
      .updateTable('credit_reservations')
      .set((e) => ({ expires_at: e('expires_at', '-', pastMs) }))
      .execute()
  })
}
