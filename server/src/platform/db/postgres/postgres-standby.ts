import type { Logger } from 'pino'
import type { Run } from '#platform/db/kysely-on.ts'
import type { LongReadLimits, LongReads } from '#platform/db/long-reads.ts'
import { postgresDriver } from './postgres-driver.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { clientConfig, lastReadsMs, PostgresPool } from './postgres-pool.ts'
import { openLongReads, readFrom } from './postgres-reads.ts'
import { PostgresReplica } from './postgres-replica.ts'
import { forSession, readSettings } from './postgres-settings.ts'
import { PostgresWatch } from './postgres-watch.ts'

/** How long a read waits for a connection to the standby before it runs on the primary. */
const waitMs = 1_000
/** For the comparison with the primary. */
const kept = 1

interface StandbyOptions {
  readonly poolSize: number
  readonly readUrl: string
  readonly limits: PostgresLimits
  readonly readLimits: LongReadLimits
  readonly log: Logger
}

/** Short and long reads on the primary. */
interface Primary {
  readonly run: Run
  readonly longReads: LongReads
}

/** Long reads on a standby, with connections and a watch of their own: its outage is not the primary's. */
export function openStandby(
  { readUrl: url, poolSize, limits: given, readLimits, log }: StandbyOptions,
  primary: Primary,
) {
  const limits = { ...given, databaseWaitTimeoutMs: waitMs }
  const watch = new PostgresWatch({
    limits,
    // The replica reports its outages itself.
    log: log.child({}, { level: 'silent' }),
    newClient: () => new (postgresDriver().Client)(clientConfig(url, limits)),
    disconnect: () => pool.disconnect(),
  })
  const size = Math.max(1, Math.floor(poolSize / 2))
  const pool: PostgresPool = new PostgresPool({
    name: 'replica',
    url,
    size,
    limits,
    log,
    watch,
    session: forSession(readSettings(limits), 'read committed'),
    askForOne: () => undefined,
  })
  const standby = {
    run: readFrom(pool),
    longReads: openLongReads(pool, { size, kept }, readLimits),
  }
  const replica = new PostgresReplica({
    maxLagMs: limits.databaseReadMaxLagMs,
    standby,
    primary,
    log,
  })
  const close = async () => {
    replica.close()
    await pool.end(lastReadsMs)
    watch.close()
  }
  return { replica, close }
}
