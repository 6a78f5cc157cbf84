import { reserveStock, returnStock, shopSettings } from '#features/catalog/index.ts'
import { placeOrder, queueOrderEvent } from '#features/orders/index.ts'
import {
  beginRefund,
  findByReference,
  findPayment,
  updatePayment,
  type PaymentRow,
} from '#features/payments/index.ts'
import type { Message } from '#features/pricing/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { ChargeOutcome } from '#platform/payments/payments.ts'
import { readiness, requote } from './assess.ts'
import { giveUpCharge, takeAssessedStock } from './begin-charge.ts'
import { moved, openUntil, sessionFromRow, type CheckoutSession } from './checkout-session.ts'
import { saveSession, withOrder } from './get-session.ts'
import { answerRecords } from './idempotency-store.ts'
import { sessionOutcome } from './idempotency.ts'
import { settleChargeTicket } from './job-tickets.ts'
import { sessionById } from './session-store.ts'

export type SettleContext = Pick<
  Context,
  'payments' | 'jobs' | 'config' | 'clock' | 'vault' | 'log'
>

type Outcome<Status extends ChargeOutcome['status']> = Extract<
  ChargeOutcome,
  { readonly status: Status }
>

/**
 * A step: commits the outcome of a charge, learned by the request itself, the job, or the
 * provider's event. A settled charge stays unchanged, so all of them may arrive.
 *
 * @returns the session as it is then
 */
export async function settle(
  ctx: SettleContext,
  tx: Tx,
  paymentId: string,
  outcome: ChargeOutcome,
): Promise<CheckoutSession> {
  const now = ctx.clock.now()
  const payment = await paymentOf(tx, paymentId, outcome)
  const row = await sessionById(tx, payment.session_id)
  const session = sessionFromRow(row, now)
  const event = { ctx, tx, payment, session, now }
  switch (payment.status) {
    case 'pending':
      return await settlePending(event, outcome)
    case 'requires_action':
      return await settleWaiting(event, outcome)
    case 'voided':
    case 'declined':
      if (outcome.status === 'succeeded') await giveBack(event, outcome)
      return await withOrder(tx, session)
    default:
      return await withOrder(tx, session)
  }
}

/**
 * The payment that an outcome belongs to. During the provider call, another payment may have
 * continued the charge (begin-charge.ts): the money then belongs to that one and is not refunded.
 */
async function paymentOf(tx: Tx, paymentId: string, outcome: ChargeOutcome): Promise<PaymentRow> {
  const payment = await findPayment(tx, paymentId)
  if (payment === undefined) throw new Error(`there is no payment ${paymentId}`)
  if (payment.status !== 'voided' || outcome.status !== 'succeeded') return payment
  return (await findByReference(tx, 'charge', outcome.reference)) ?? payment
}

interface Settling {
  readonly ctx: SettleContext
  readonly tx: Tx
  readonly payment: PaymentRow
  readonly session: CheckoutSession
  readonly now: number
}

async function settlePending(event: Settling, outcome: ChargeOutcome): Promise<CheckoutSession> {
  const { ctx, tx, payment } = event
  const settled = await applyOutcome(event, outcome)
  await ctx.jobs.withdraw(tx, settleChargeTicket, payment.id)
  await answerRecords(tx, payment.id, sessionOutcome(settled))
  return settled
}

function applyOutcome(event: Settling, outcome: ChargeOutcome): Promise<CheckoutSession> {
  switch (outcome.status) {
    case 'succeeded':
      return complete(event, outcome, 'payment_succeeded')
    case 'declined':
      return decline(event, outcome, 'payment_declined')
    case 'requires_action':
      return askForAuthentication(event, outcome)
  }
}

/** The provider's page or its event confirmed the payment before the agent's next request. */
async function settleWaiting(event: Settling, outcome: ChargeOutcome): Promise<CheckoutSession> {
  const { tx, payment, session } = event
  const isCurrent = session.status === 'authentication_required' && session.paymentId === payment.id
  if (outcome.status === 'requires_action') return session
  if (outcome.status === 'declined')
    return isCurrent ? await decline(event, outcome, 'update') : session
  const isSold = isCurrent && (await reserveStock(tx, session.agentId, session.quote.lines))
  if (isSold) return await complete(event, outcome, 'paid_elsewhere')
  await giveBack(event, outcome)
  if (!isCurrent) return session
  // Other buyers bought the items during the authentication.
  const param = '$.payment_data'
  return await reopen(event, 'update', { type: 'error', code: 'payment_returned', param })
}

async function complete(
  { ctx, tx, payment, session, now }: Settling,
  { reference }: Outcome<'succeeded'>,
  move: 'payment_succeeded' | 'paid_elsewhere',
): Promise<CheckoutSession> {
  const completed = await finish(ctx, tx, session, move, now)
  await updatePayment(tx, payment.id, {
    status: 'succeeded',
    provider_reference: reference,
    request_sealed: null,
    order_id: completed.orderId,
    updated_at: now,
  })
  return completed
}

type FinishContext = Pick<Context, 'payments' | 'jobs' | 'clock' | 'config'>

/** A step: completes a free order without the provider, which would refuse to charge zero. */
export async function completeFree(
  ctx: FinishContext,
  tx: Tx,
  session: CheckoutSession,
  now: number,
): Promise<CheckoutSession> {
  await takeAssessedStock(tx, session)
  await giveUpCharge(ctx, tx, session, now)
  const begun = moved(session, 'begin_payment', { status: 'complete_in_progress' })
  return await finish(ctx, tx, begun, 'payment_succeeded', now)
}

/** Places the order of a session that is paid or free. */
async function finish(
  ctx: FinishContext,
  tx: Tx,
  session: CheckoutSession,
  move: 'payment_succeeded' | 'paid_elsewhere',
  now: number,
): Promise<CheckoutSession> {
  const { support } = await shopSettings(tx, session)
  const { isTest } = ctx.payments
  const order = await placeOrder(tx, session, { support, isTest }, now)
  const completed = moved(session, move, {
    status: 'completed',
    orderId: order.id,
    choices: { ...session.choices, notices: [], authentication: null },
    updatedAt: now,
  })
  await saveSession(tx, completed)
  await queueOrderEvent(ctx, tx, order, 'order_create')
  return { ...completed, order }
}

async function decline(
  event: Settling,
  { reference, code }: Outcome<'declined'>,
  move: 'payment_declined' | 'update',
): Promise<CheckoutSession> {
  const { ctx, tx, payment, session, now } = event
  if (code === 'provider_credentials')
    ctx.log.error({ paymentId: payment.id }, 'the payment provider refuses our credentials')
  if (code === 'amount_invalid')
    ctx.log.error({ paymentId: payment.id }, 'the payment provider cannot charge this amount')
  await updatePayment(tx, payment.id, {
    status: 'declined',
    provider_reference: reference ?? payment.provider_reference,
    request_sealed: null,
    error_code: code,
    updated_at: now,
  })
  if (move === 'payment_declined') await returnStock(tx, session.agentId, session.quote.lines)
  const param = '$.payment_data'
  return await reopen(event, move, {
    type: 'error',
    code: 'payment_declined',
    param,
    facts: { code },
  })
}

/** Assesses a session again after a failed payment, with a notice of the reason. */
async function reopen(
  { ctx, tx, session, now }: Settling,
  move: 'payment_declined' | 'update',
  notice: Message,
): Promise<CheckoutSession> {
  const choices = { ...session.choices, notices: [notice], authentication: null }
  const quote = await requote(tx, session, choices, session, now)
  const expiresAt = openUntil(ctx, now)
  const change = { status: readiness(quote), choices, quote, updatedAt: now, expiresAt }
  return await saveSession(tx, moved(session, move, change))
}

async function askForAuthentication(
  event: Settling,
  { reference, continueUrl, metadata }: Outcome<'requires_action'>,
): Promise<CheckoutSession> {
  const { ctx, tx, payment, session, now } = event
  await updatePayment(tx, payment.id, {
    status: 'requires_action',
    provider_reference: reference,
    request_sealed: null,
    updated_at: now,
  })
  // Authentication may take long or never finish: the stock is not held during it.
  await returnStock(tx, session.agentId, session.quote.lines)
  const choices = { ...session.choices, authentication: { continueUrl, metadata } }
  const expiresAt = openUntil(ctx, now)
  const change = { status: 'authentication_required', choices, updatedAt: now, expiresAt } as const
  return await saveSession(tx, moved(session, 'authentication_asked', change))
}

/** Refunds a payment that arrived too late or for a session that has changed. */
async function giveBack(
  { ctx, tx, payment, now }: Settling,
  { reference }: Outcome<'succeeded'>,
): Promise<void> {
  const change = { status: 'stray', provider_reference: reference, updated_at: now } as const
  await updatePayment(tx, payment.id, change)
  ctx.log.warn(
    { paymentId: payment.id },
    'a payment is refunded because its session no longer needs it',
  )
  const intent = { amountMinor: payment.amount, orderId: null, at: 'now', now } as const
  await beginRefund(ctx, tx, payment, intent)
}
