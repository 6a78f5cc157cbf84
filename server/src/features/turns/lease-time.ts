import { sql } from 'kysely'
import { clockToleranceMs, isLeaseLive } from '#kernel/lease.ts'
import type { SessionRow } from './turn-columns.ts'

/**
 * How long a turn keeps its session after its last renewal: the session of a process that was killed
 * is free after at most this time. One statement renews those of all turns of a process.
 */
export const leaseMs = 5_000
export const renewEveryMs = 1_000

/** In SQL: what is subtracted from the end of a lease, and still later than now, if it is too far ahead. */
export const farthestMs = sql.lit(leaseMs + clockToleranceMs)

type Lease = Pick<SessionRow, 'lease_token' | 'lease_until'>

/** Whether a turn holds the session. */
export function isHeld(lease: Lease, now: number): boolean {
  return lease.lease_token !== null && isLeaseLive(lease.lease_until, now, leaseMs)
}
