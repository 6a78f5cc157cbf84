import { askForCharge, findPayment, type PaymentRow } from '#features/payments/index.ts'
import type { Buyer, Message, Quote } from '#features/pricing/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { readiness, requote } from './assess.ts'
import { beginCharge, giveUpCharge, type Payment } from './begin-charge.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import { moved, openUntil, type CheckoutSession, type ShopCaller } from './checkout-session.ts'
import { requireMove } from './checkout-status.ts'
import { requireSession, saveSession } from './get-session.ts'
import { releaseRecords } from './idempotency-store.ts'
import {
  claimRequest,
  recordingRefusal,
  recordRequest,
  sessionOutcome,
  type Answer,
  type RepeatableRequest,
} from './idempotency.ts'
import { completeFree, settle, type SettleContext } from './settle-charge.ts'
import { patchChoices } from './update-session.ts'

export interface Completion extends Payment {
  readonly buyer?: Buyer | undefined
  readonly orderNotes?: string | undefined
  /** One of the handlers in the session's capabilities; older request formats omit it. */
  readonly handlerId: string | null
}

type CompleteContext = SettleContext & Pick<Context, 'db'>

/**
 * Pays a checkout and creates the order. The intent is committed, the provider is called, the
 * outcome is committed. Whatever fails in between, the charge is made once and settled, by this
 * request, its retry or a job. The session's messages report obstacles (stock, a changed price, a
 * decline); nothing is charged then.
 *
 * @throws Fault session_not_found, session_completed, session_canceled, session_expired,
 *   payment_in_progress, payment_data_required, payment_handler_unknown, requires_3ds,
 *   payment_outcome_unknown, idempotency_conflict, idempotency_in_flight
 */
export async function completeCheckout(
  ctx: CompleteContext,
  caller: ShopCaller,
  id: string,
  completion: Completion,
  request: RepeatableRequest | null,
): Promise<Answer> {
  const begun = await begin(ctx, caller, id, completion, request)
  if (!('paymentId' in begun)) return begun
  return { session: await chargeAndSettle(ctx, begun), replayed: false }
}

interface BegunPayment {
  readonly paymentId: string
  /** True for a retry after the provider's answer was lost. */
  readonly isAgain: boolean
}
type Begun = Answer | BegunPayment

async function begin(
  ctx: CompleteContext,
  caller: ShopCaller,
  id: string,
  completion: Completion,
  request: RepeatableRequest | null,
): Promise<Begun> {
  const { keyId } = caller
  return await recordingRefusal(ctx, keyId, request, async (tx, now) => {
    const claim = await claimRequest(tx, keyId, request, now)
    if (claim.state === 'answered') return claim.answer
    const begun =
      claim.state === 'unsettled'
        ? { paymentId: claim.paymentId, isAgain: true }
        : await beginPayment(ctx, tx, await requireSession(tx, caller, id, now), completion, now)
    await recordBegun(ctx, tx, keyId, request, begun, now)
    return begun
  })
}

/** Marks the request as in flight for the provider's response time. */
function recordBegun(
  ctx: CompleteContext,
  tx: Tx,
  keyId: string,
  request: RepeatableRequest | null,
  begun: Begun,
  now: number,
): Promise<void> {
  const lease_until = now + ctx.config.paymentTimeoutMs + 5_000
  const record =
    'paymentId' in begun
      ? { outcome_json: null, payment_id: begun.paymentId, lease_until }
      : { outcome_json: sessionOutcome(begun.session), payment_id: null, lease_until: now }
  return recordRequest(tx, keyId, request, record, now)
}

async function beginPayment(
  ctx: CompleteContext,
  tx: Tx,
  session: CheckoutSession,
  completion: Completion,
  now: number,
): Promise<Begun> {
  requireMove(session.status, 'update')
  requireAuthentication(session, completion)
  const choices = withBuyer(session, completion)
  const quote = await requote(tx, session, choices, session, now)
  requirePayable(ctx, quote, completion)
  const asked = { ...session, choices, quote }
  const status = readiness(quote)
  const changed = totalChanges(session, quote)
  if (status !== 'ready_for_payment' || changed.length > 0)
    return { session: await sendBack(ctx, tx, asked, changed, now), replayed: false }
  const ready = session.status === 'not_ready_for_payment' ? { ...asked, status } : asked
  if (quote.totals.total === 0)
    return { session: await completeFree(ctx, tx, ready, now), replayed: false }
  const { id: paymentId } = await beginCharge(ctx, tx, ready, completion, now)
  return { paymentId, isAgain: false }
}

/** The protocol requires an answer to the challenge, whatever it is. */
function requireAuthentication({ status }: CheckoutSession, { authentication }: Completion): void {
  if (status !== 'authentication_required' || authentication !== null) return
  throw new Fault(faults.requires_3ds, { param: '$.authentication_result' })
}

function requirePayable(
  { payments }: Pick<Context, 'payments'>,
  { totals }: Quote,
  { credential, handlerId }: Completion,
): void {
  if (totals.total === 0) return
  if (payments.needsCredential && credential === null)
    throw new Fault(faults.payment_data_required, { param: '$.payment_data' })
  // The test provider accepts every handler.
  if (handlerId === null || payments.provider === 'test') return
  if (payments.handlers.some(({ id }) => id === handlerId)) return
  const param = '$.payment_data.handler_id'
  throw new Fault(faults.payment_handler_unknown, { param, handler: handlerId })
}

function withBuyer({ choices }: CheckoutSession, { buyer, orderNotes }: Completion) {
  return {
    ...patchChoices(choices, {
      ...(buyer === undefined ? {} : { buyer }),
      ...(orderNotes === undefined ? {} : { orderNotes }),
    }),
    authentication: choices.authentication,
  }
}

/**
 * A buyer never pays a total that they have not seen: the session is returned with the new total.
 */
function totalChanges({ quote: seen, currency }: CheckoutSession, quote: Quote): Message[] {
  const [from, to] = [seen.totals.total, quote.totals.total]
  if (from === to) return []
  return [
    { type: 'warning', code: 'total_change', param: '$.totals', facts: { from, to, currency } },
  ]
}

async function sendBack(
  ctx: CompleteContext,
  tx: Tx,
  session: CheckoutSession,
  notices: readonly Message[],
  now: number,
): Promise<CheckoutSession> {
  if (session.status === 'authentication_required') await giveUpCharge(ctx, tx, session, now)
  const choices = { ...session.choices, notices, authentication: null }
  const change = {
    status: readiness(session.quote),
    choices,
    updatedAt: now,
    expiresAt: openUntil(ctx, now),
  }
  return await saveSession(tx, moved(session, 'update', change))
}

async function chargeAndSettle(
  ctx: CompleteContext,
  { paymentId, isAgain }: BegunPayment,
): Promise<CheckoutSession> {
  const payment = await findPayment(ctx.db.read, paymentId)
  if (payment === undefined) throw new Error(`there is no payment ${paymentId}`)
  const outcome = await ask(ctx, payment, isAgain)
  return await ctx.db.write((tx) => settle(ctx, tx, paymentId, outcome))
}

/** @throws Fault payment_outcome_unknown: a retry or the job settles the charge */
async function ask(ctx: CompleteContext, payment: PaymentRow, isAgain: boolean) {
  try {
    return await askForCharge(ctx, payment, isAgain)
  } catch (error) {
    const { id: paymentId } = payment
    ctx.log.warn({ err: error, paymentId }, 'the outcome of a charge is unknown')
    await ctx.db.write((tx) => releaseRecords(tx, paymentId, ctx.clock.now()))
    throw new Fault(faults.payment_outcome_unknown, { retryAfterSeconds: 5 }, { cause: error })
  }
}
