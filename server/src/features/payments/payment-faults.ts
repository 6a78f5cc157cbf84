import { defineFaults } from '#kernel/fault.ts'

export const paymentFaults = defineFaults({
  /** Facts: `refundable`, `currency`. */
  refund_exceeds_payment: 'conflict',
  /** Facts: `reason`. */
  refund_declined: 'conflict',
  /** Some of the order has been sent. */
  order_already_fulfilled: 'conflict',
})
