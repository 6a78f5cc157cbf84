interface Queued<Item> {
  readonly tenant: string
  readonly item: Item
}

/** What an item counts until its real cost is known. */
const assumedCost = 1

/**
 * A queue in which the tenant that has used the least comes next (start-time fair queueing: Goyal,
 * Vin and Cheng, 1996). A tenant alone uses everything. A newcomer begins with the count of the
 * tenant that is being served, so that a tenant does not collect a share while it is idle. The
 * items of a tenant keep their order.
 */
export class FairQueue<Item> {
  /** Tenants with waiting items, in the order in which they began to wait. */
  readonly #waiting = new Map<string, Item[]>()
  /** What each tenant has used since the queue was last empty. */
  readonly #used = new Map<string, number>()
  #served = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(tenant: string, item: Item): void {
    if (this.#size === 0) this.#forget()
    this.#size += 1
    const waiting = this.#waiting.get(tenant)
    if (waiting !== undefined) {
      waiting.push(item)
      return
    }
    this.#waiting.set(tenant, [item])
    this.#used.set(tenant, Math.max(this.#used.get(tenant) ?? 0, this.#served))
  }

  /** Removes up to `most` items, the next one first. */
  take(most: number): Item[] {
    const taken: Item[] = []
    while (taken.length < most && this.#size > 0) {
      const { tenant, item } = this.#next()
      this.#charge(tenant, assumedCost)
      taken.push(item)
    }
    return taken
  }

  /** Returns an item that was taken and not served to the front. Return the last one first. */
  putBack(tenant: string, item: Item): void {
    this.#size += 1
    this.#charge(tenant, -assumedCost)
    const waiting = this.#waiting.get(tenant)
    if (waiting === undefined) this.#waiting.set(tenant, [item])
    else waiting.unshift(item)
  }

  /** Counts what an item really cost. */
  settle(tenant: string, cost: number): void {
    this.#charge(tenant, cost - assumedCost)
  }

  #charge(tenant: string, cost: number): void {
    this.#used.set(tenant, (this.#used.get(tenant) ?? this.#served) + cost)
  }

  #next(): Queued<Item> {
    let [tenant, least] = ['', Number.POSITIVE_INFINITY]
    for (const candidate of this.#waiting.keys()) {
      const used = this.#used.get(candidate) ?? 0
      if (used < least) [tenant, least] = [candidate, used]
    }
    const waiting = this.#waiting.get(tenant)
    const item = waiting?.shift()
    if (waiting === undefined || item === undefined) throw new Error('A tenant without items waits')
    if (waiting.length === 0) this.#waiting.delete(tenant)
    this.#size -= 1
    this.#served = least
    return { tenant, item }
  }

  #forget(): void {
    this.#used.clear()
    this.#served = 0
  }
}
