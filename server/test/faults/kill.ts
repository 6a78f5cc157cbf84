import { sql } from 'kysely'
import type { Database } from '#platform/db/database.ts'
import type { ParleyProcess } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { connectionName } from './service-environment.ts'

/** Kills a service at once, like a crash, and waits until its last writes are done. */
export async function kill(service: ParleyProcess, db: Database): Promise<void> {
  service.signal('SIGKILL')
  await service.finished
  await untilForgotten(db)
}

/**
 * PostgreSQL executes and commits statements that it has received before it notices that the client
 * disconnected. A test that reads earlier could see the state change afterwards.
 */
export async function untilForgotten(db: Database): Promise<void> {
  if (db.engine === 'sqlite') return
  const connections = sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = ${connectionName}`
  await until(
    'the database has closed the connections of the service',
    async () => (await connections.execute(db.read)).rows.length === 0,
  )
}

/** Longer than every lease and than a provider's timeout. */
const pastMs = 120_000

/**
 * Simulates that this time has passed since every process died: leases have expired, and waiting
 * jobs are due.
 */
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
