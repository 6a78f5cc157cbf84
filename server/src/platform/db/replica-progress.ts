/** Where the log of the primary ends on its disk: everything that it acknowledged lies before. */
export const primaryQuery = `
  select pg_current_wal_flush_lsn()::text as position,
    (select system_identifier from pg_control_system())::text as cluster`

/** How much of that log a standby has applied. */
export const replicaQuery = `
  select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn()::text as position,
    (select system_identifier from pg_control_system())::text as cluster`

export interface PrimaryRow {
  readonly position: string
  readonly cluster: string
}

export interface ReplicaRow {
  readonly is_standby: boolean
  readonly position: string | null
  readonly cluster: string
}

/**
 * How far a standby is behind, from positions in the log instead of times: the server's own time of its
 * last transaction grows while nothing is written, and clocks of two machines differ. A standby that
 * has applied a position is at least as new as the question that the primary answered with it.
 */
export class ReplicaProgress {
  /** What the primary had written before this time, the standby has applied (`performance.now()`). */
  freshAt = Number.NEGATIVE_INFINITY
  readonly #begunAt = performance.now()
  /** Answers of the primary that the standby has not reached, oldest first. */
  #ahead: { readonly askedAt: number; readonly position: bigint }[] = []
  #applied = 0n

  /**
   * @param askedAt when the primary was asked, before the standby
   * @returns why the standby cannot be used, or null
   */
  note(
    askedAt: number,
    primary: PrimaryRow | undefined,
    standby: ReplicaRow | undefined,
    maxLagMs: number,
  ): string | null {
    if (primary === undefined || standby === undefined) return 'it returned nothing'
    if (!standby.is_standby || standby.position === null) return 'it is not a standby'
    if (standby.cluster !== primary.cluster) return 'it is a standby of another database server'
    const end = positionOf(primary.position)
    // Of a primary that was replaced: its log went further than the new one's.
    if (end < this.#applied) return 'it follows another primary'
    this.#applied = positionOf(standby.position)
    this.#ahead.push({ askedAt, position: end })
    const reached = this.#ahead.findLast(({ position }) => position <= this.#applied)
    this.freshAt = reached?.askedAt ?? this.freshAt
    const since = Math.max(this.freshAt, askedAt - maxLagMs)
    this.#ahead = this.#ahead.filter((one) => one.askedAt > since)
    return null
  }

  /** Since the start if it was never reached. */
  lagMs(now: number): number {
    return now - Math.max(this.freshAt, this.#begunAt)
  }
}

/** `16/B374D848` as a number (PostgreSQL, pg_lsn). */
export function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
