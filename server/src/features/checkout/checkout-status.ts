import { Fault } from '#kernel/fault.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'

/** Of the protocol's eleven statuses, those that a session here can have. */
export const checkoutStatuses = [
  'not_ready_for_payment',
  'ready_for_payment',
  'authentication_required',
  'complete_in_progress',
  'completed',
  'canceled',
  'expired',
] as const
export type CheckoutStatus = (typeof checkoutStatuses)[number]

interface Move {
  readonly from: readonly CheckoutStatus[]
  readonly to: readonly CheckoutStatus[]
}

const open = ['not_ready_for_payment', 'ready_for_payment', 'authentication_required'] as const
const assessed = ['not_ready_for_payment', 'ready_for_payment'] as const

/**
 * The state machine of a checkout session: all moves. The protocol defines no table; the
 * documentation and the tests read this one.
 */
export const checkoutMoves = {
  /** The session or the shop has changed; the status depends on what is missing. */
  update: { from: open, to: assessed },
  /** The intent to charge is committed, the stock taken. */
  begin_payment: {
    from: ['ready_for_payment', 'authentication_required'],
    to: ['complete_in_progress'],
  },
  payment_succeeded: { from: ['complete_in_progress'], to: ['completed'] },
  /** The stock is returned; something else may be missing by now. */
  payment_declined: { from: ['complete_in_progress'], to: assessed },
  authentication_asked: { from: ['complete_in_progress'], to: ['authentication_required'] },
  /** The buyer authenticated at the provider, which reported it. */
  paid_elsewhere: { from: ['authentication_required'], to: ['completed'] },
  /** A session cannot be canceled during a payment: the outcome comes first. */
  cancel: { from: open, to: ['canceled'] },
  expire: { from: open, to: ['expired'] },
} as const satisfies Record<string, Move>

export type CheckoutMove = keyof typeof checkoutMoves

export function mayMove(from: CheckoutStatus, move: CheckoutMove): boolean {
  const { from: starts }: Move = checkoutMoves[move]
  return starts.includes(from)
}

export function isOpen(status: CheckoutStatus): boolean {
  return mayMove(status, 'update')
}

/**
 * @throws Fault session_completed, session_canceled, session_expired, payment_in_progress
 */
export function requireMove(from: CheckoutStatus, move: CheckoutMove): void {
  if (mayMove(from, move)) return
  switch (from) {
    case 'completed':
      throw new Fault(faults.session_completed)
    case 'canceled':
      throw new Fault(faults.session_canceled)
    case 'expired':
      throw new Fault(faults.session_expired)
    case 'complete_in_progress':
      throw new Fault(faults.payment_in_progress, { retryAfterSeconds: 2 })
    default:
      throw new Error(`a session that is ${from} cannot ${move}`)
  }
}

/** @throws Error for a status that this version does not know: another one wrote the row */
export function readStatus(text: string): CheckoutStatus {
  const known = checkoutStatuses.find((status) => status === text)
  if (known === undefined) throw new Error(`Unknown checkout status in the database: ${text}`)
  return known
}
