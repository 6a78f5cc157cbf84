import { defineFaults, withFacts } from '#kernel/fault.ts'

export const paymentFaults = defineFaults({
  /** `refundable` is in minor units of `currency`. */
  refund_exceeds_payment: withFacts<{ refundable: number; currency: string }>('conflict'),
  refund_declined: withFacts<{ reason: string }>('conflict'),
  /** Part of the order has been sent. */
  order_already_fulfilled: 'conflict',
})
