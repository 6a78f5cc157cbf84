import type { FairSlots } from './fair-slots.ts'

/** Recognised by its name, because features import only the types of platform. */
export class SlotsBusy extends Error {
  override readonly name = 'SlotsBusy'
}

interface SlotLimits {
  readonly slots: number
  /** Further slots for tenants that hold fewer than another one; none if absent. */
  readonly balancing?: number
  /** Further slots for tenants that hold none; half as many as `slots` if absent. */
  readonly reserved?: number
  /** How many calls of one tenant may wait. */
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

interface Waiter {
  start(): void
}

/**
 * Calls may last long, and a running one is never stopped. So half as many slots again are kept for
 * tenants that hold none: however long the calls of others take, their first call starts at once.
 */
const reservedShare = 0.5

export function createFairSlots(limits: SlotLimits): FairSlots {
  return new SlotQueue(limits)
}

class SlotQueue implements FairSlots {
  readonly #limits: SlotLimits
  readonly #mostBalanced: number
  readonly #mostInUse: number
  readonly #held = new Map<string, number>()
  /** A set keeps the order of arrival. Tenants without a waiting call are absent. */
  readonly #waiting = new Map<string, Set<Waiter>>()
  #inUse = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
    this.#mostBalanced = limits.slots + (limits.balancing ?? 0)
    this.#mostInUse =
      this.#mostBalanced + (limits.reserved ?? Math.ceil(limits.slots * reservedShare))
  }

  async acquire(tenant: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    // Nobody is overtaken: a slot is free only while no call waits that could use it.
    if (!this.#hasSlotFor(tenant)) await this.#wait(tenant, signal)
    else this.#take(tenant)
    let isHeld = true
    return () => {
      if (isHeld) this.#release(tenant)
      isHeld = false
    }
  }

  #hasSlotFor(tenant: string): boolean {
    if (this.#inUse < this.#limits.slots) return true
    const held = this.#held.get(tenant) ?? 0
    if (this.#inUse < this.#mostBalanced && held < Math.max(...this.#held.values())) return true
    return this.#inUse < this.#mostInUse && held === 0
  }

  #wait(tenant: string, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#waiting.get(tenant) ?? new Set<Waiter>()
    const { maxWaiting, maxWaitMs } = this.#limits
    if (queue.size >= maxWaiting) throw new SlotsBusy('too many calls wait')
    this.#waiting.set(tenant, queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        queue.delete(waiter)
        if (queue.size === 0) this.#waiting.delete(tenant)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        leave()
        reject(new SlotsBusy('no slot became free in time'))
      }, maxWaitMs)
      const waiter = {
        start: () => {
          leave()
          this.#take(tenant)
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      queue.add(waiter)
    })
  }

  #take(tenant: string): void {
    this.#inUse += 1
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
  }

  #release(tenant: string): void {
    this.#inUse -= 1
    const held = (this.#held.get(tenant) ?? 1) - 1
    if (held === 0) this.#held.delete(tenant)
    else this.#held.set(tenant, held)
    if (this.#waiting.size > 0) this.#startNext()
  }

  #startNext(): void {
    let [next, fewest] = ['', Number.POSITIVE_INFINITY]
    // Of tenants that hold as many, the one that has waited longest comes first.
    for (const tenant of this.#waiting.keys()) {
      const held = this.#held.get(tenant) ?? 0
      if (held < fewest) [next, fewest] = [tenant, held]
    }
    const queue = this.#waiting.get(next)
    const [first] = queue ?? []
    if (queue === undefined || first === undefined || !this.#hasSlotFor(next)) return
    // Behind the other waiting tenants.
    this.#waiting.delete(next)
    this.#waiting.set(next, queue)
    first.start()
  }
}
