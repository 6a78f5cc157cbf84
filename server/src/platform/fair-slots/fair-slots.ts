/**
 * A fixed number of slots that tenants share fairly. A tenant alone may take all of them. While others
 * wait, a slot that becomes free goes to the waiting tenant that holds the fewest. Further slots, which
 * only tenants with fewer slots than another can take, keep a share for those that come later: running
 * calls are never stopped.
 */
export interface FairSlots {
  /**
   * Takes a slot, or waits for one.
   *
   * @returns a function that returns the slot, once
   * @throws SlotsBusy when too many calls of the tenant wait already, or this one has waited too long;
   *   the signal's reason when it is aborted
   */
  acquire(tenant: string, signal?: AbortSignal): Promise<() => void>
}
