import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'

/** How long after a conflict the units of a tenant run one at a time. */
const narrowMs = 1_000

interface Lane {
  readonly slots: FairSlots
  /** By `performance.now()`. */
  until: number
  /** Units that run or wait in it. */
  users: number
}

/**
 * Units of one workspace that change the same rows fail each other: each waits for the row, on a
 * connection, only to be replayed. For a while after such a conflict, the units of that workspace run
 * one at a time in this process. Those of other workspaces are not held up.
 */
export class ConflictLanes {
  readonly #newSlots: () => FairSlots
  readonly #lanes = new Map<string, Lane>()

  /** @param newSlots one slot */
  constructor(newSlots: () => FairSlots) {
    this.#newSlots = newSlots
  }

  /**
   * Waits for the tenant's turn if it has had a conflict.
   *
   * @returns a function that ends the turn
   * @throws SlotsBusy
   */
  async enter(tenant: string): Promise<() => void> {
    const lane = this.#lanes.get(tenant)
    if (lane === undefined || performance.now() >= lane.until) return () => undefined
    lane.users += 1
    try {
      const release = await lane.slots.acquire(tenant)
      return () => {
        lane.users -= 1
        release()
      }
    } catch (error) {
      lane.users -= 1
      throw error
    }
  }

  /** Notes a conflict. Work of no workspace has little in common, so it has no lane. */
  narrow(tenant: string): void {
    if (tenant === '') return
    const now = performance.now()
    for (const [other, { until, users }] of this.#lanes)
      if (until <= now && users === 0) this.#lanes.delete(other)
    const lane = this.#lanes.get(tenant)
    if (lane === undefined)
      this.#lanes.set(tenant, { slots: this.#newSlots(), until: now + narrowMs, users: 0 })
    else lane.until = now + narrowMs
  }
}
