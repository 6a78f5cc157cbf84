import type { Context } from '#platform/context.ts'
import type { Authentication, ChargeOutcome, Credential } from '#platform/payments/payments.ts'
import type { PaymentRow } from './payment-store.ts'

/** The data to repeat a charge request; stored encrypted while the outcome is unknown. */
export interface SealedRequest {
  readonly credential: Credential | null
  readonly authentication: Authentication | null
  readonly continues: string | null
}

/**
 * Providers forget idempotency keys after a day: after this time the charge is looked up instead.
 */
const rememberedMs = 20 * 60 * 60 * 1000

/** Whether the provider may have forgotten the idempotency key of this payment. */
export function isForgotten(
  { clock }: Pick<Context, 'clock'>,
  { created_at }: PaymentRow,
): boolean {
  return clock.now() - created_at > rememberedMs
}

/**
 * Only the provider of a payment knows its outcome, and `PAYMENTS` may name another one now. A
 * payment of the test provider moved no money.
 *
 * @returns false for a payment that the test provider, which is no longer there, pretended
 * @throws Error for one of a provider that is no longer there: its job asks again, until it is
 */
export function isAskable(
  { payments }: Pick<Context, 'payments'>,
  { id, provider }: Pick<PaymentRow, 'id' | 'provider'>,
): boolean {
  if (provider === payments.provider) return true
  if (provider === 'test') return false
  throw new Error(`payment ${id} is of ${provider}, and PAYMENTS names ${payments.provider}`)
}

/**
 * Requests the charge from the provider.
 *
 * @param isAgain whether it may have been asked for before
 */
export async function askForCharge(
  ctx: Pick<Context, 'payments' | 'vault' | 'clock'>,
  payment: PaymentRow,
  isAgain: boolean,
): Promise<ChargeOutcome> {
  const { payments, vault } = ctx
  const { id: paymentId, request_sealed, created_at, provider_reference: reference } = payment
  if (!isAskable(ctx, payment))
    return { status: 'declined', reference: null, code: 'never_charged' }
  if (request_sealed === null || isForgotten(ctx, payment))
    return await payments.recall({ paymentId, askedAt: created_at, reference })
  // Sealed by beginCharge.
  const request = JSON.parse(vault.open(request_sealed)) as SealedRequest
  return await payments.charge({
    paymentId,
    askedAt: created_at,
    sessionId: payment.session_id,
    amountMinor: payment.amount,
    currency: payment.currency,
    isAgain,
    ...request,
  })
}
