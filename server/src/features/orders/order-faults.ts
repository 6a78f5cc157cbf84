import { defineFaults, withFacts } from '#kernel/fault.ts'

export const orderFaults = defineFaults({
  order_not_found: 'not_found',
  order_canceled: 'conflict',
  /** `line` is `*` when nothing of the order is left. */
  fulfillment_exceeds_order: withFacts<{ line: string; left: number }>('conflict'),
})
