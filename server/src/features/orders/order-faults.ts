import { defineFaults } from '#kernel/fault.ts'

export const orderFaults = defineFaults({
  order_not_found: 'not_found',
  order_canceled: 'conflict',
  /** Facts: `line`, `left`. */
  fulfillment_exceeds_order: 'conflict',
})
