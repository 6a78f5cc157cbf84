import type { Config } from '#config'
import { inspectReplica } from '#platform/db/inspect-replica.ts'
import type { Finding } from './doctor-finding.ts'

/** Whether the standby for long reads can be used; nothing without one. */
export async function checkReplica(config: Config): Promise<readonly Finding[]> {
  const { databaseUrl, databaseReadUrl, databaseReadMaxLagMs: maxLagMs } = config
  if (databaseUrl === undefined || databaseReadUrl === undefined) return []
  const check = 'read replica'
  try {
    const { problem, lagMs } = await inspectReplica(databaseUrl, databaseReadUrl, maxLagMs)
    if (problem === null) return [{ check, ok: true, note: `at most ${lagMs} ms behind` }]
    return [{ check, ok: false, note: `${problem}, so the primary serves all reads`, fix }]
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    return [{ check, ok: false, note: `does not answer (${reason})`, fix }]
  }
}

const fix =
  'check that DATABASE_READ_URL names a running standby of DATABASE_URL with the same user and database, and its `pg_stat_wal_receiver`; or unset it'
