import { defineFaults } from '#kernel/fault.ts'

export const checkoutFaults = defineFaults({
  session_not_found: 'not_found',
  /** Facts: `item`, `param` (where in the request). */
  item_unknown: 'invalid',
  /** Facts: `item`, `param`, `most`. */
  quantity_too_large: 'invalid',
  /** Facts: `param`, `currency` (what the items cost), `requested`. */
  currency_mismatch: 'invalid',
  /** Facts: `param`. */
  currencies_mixed: 'invalid',
  /** Facts: `param`, `option`. */
  fulfillment_option_unknown: 'invalid',
  /** A place to pick up and a way to ship have this id, and the type was not given. Facts: `param`, `option`. */
  fulfillment_option_ambiguous: 'invalid',
  /** Facts: `param`, `type`, `first`, `another`. */
  fulfillment_options_conflict: 'invalid',
  session_completed: 'conflict',
  session_canceled: 'conflict',
  session_expired: 'conflict',
  /** A payment is being made: its outcome comes first. Facts: `retryAfterSeconds`. */
  payment_in_progress: 'conflict',
  /** The provider takes no payment without a credential. Facts: `param`. */
  payment_data_required: 'invalid',
  /** Facts: `param`, `handler`. */
  payment_handler_unknown: 'invalid',
  /** The session waits for the buyer's authentication. Facts: `param`. */
  requires_3ds: 'invalid',
  /** The provider did not answer: the payment will be settled. Facts: `retryAfterSeconds`. */
  payment_outcome_unknown: 'unavailable',
  idempotency_conflict: 'conflict',
  /** Facts: `retryAfterSeconds`. */
  idempotency_in_flight: 'conflict',
})
