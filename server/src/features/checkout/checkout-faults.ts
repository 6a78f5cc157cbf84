import { defineFaults, withFacts } from '#kernel/fault.ts'

/** `param` is the JSONPath of the wrong field in the request (RFC 9535). */
export const checkoutFaults = defineFaults({
  session_not_found: 'not_found',
  item_unknown: withFacts<{ item: string; param: string }>('invalid'),
  quantity_too_large: withFacts<{ item: string; param: string; most: number }>('invalid'),
  /** `currency` is the currency of the items. */
  currency_mismatch: withFacts<{ param: string; currency: string; requested: string }>('invalid'),
  currencies_mixed: withFacts<{ param: string }>('invalid'),
  fulfillment_option_unknown: withFacts<{ param: string; option: string }>('invalid'),
  /** Options of several types have this id, and the request names no type. */
  fulfillment_option_ambiguous: withFacts<{ param: string; option: string }>('invalid'),
  fulfillment_options_conflict: withFacts<{
    param: string
    type: string
    first: string
    another: string
  }>('invalid'),
  /** The workspace opened as many checkouts as it may in a day. */
  checkouts_limited: withFacts<{ limit: number; retryAfterSeconds: number }>('limited'),
  session_completed: 'conflict',
  session_canceled: 'conflict',
  session_expired: 'conflict',
  /** A payment is in progress; its outcome must be known first. */
  payment_in_progress: withFacts<{ retryAfterSeconds: number }>('conflict'),
  /** The provider accepts no payment without a credential. */
  payment_data_required: withFacts<{ param: string }>('invalid'),
  payment_handler_unknown: withFacts<{ param: string; handler: string }>('invalid'),
  /** The session waits for the buyer's authentication. */
  requires_3ds: withFacts<{ param: string }>('invalid'),
  /** The provider did not answer. A job finds out the outcome. */
  payment_outcome_unknown: withFacts<{ retryAfterSeconds: number }>('unavailable'),
  idempotency_conflict: 'conflict',
  idempotency_in_flight: withFacts<{ retryAfterSeconds: number }>('conflict'),
})
