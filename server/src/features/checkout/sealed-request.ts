import type { Context } from '#platform/context.ts'
import type { Authentication, ChargeOutcome, Credential } from '#platform/payments/payments.ts'
import type { PaymentRow } from './payment-store.ts'

/** What a charge can be asked for again with, sealed while its outcome is unknown. */
export interface SealedRequest {
  readonly credential: Credential | null
  readonly authentication: Authentication | null
  readonly continues: string | null
}

/** Providers forget idempotency keys after a day: beyond this they are asked what became of it. */
const rememberedMs = 20 * 60 * 60 * 1000

/** Asks the provider for the charge, for the first time or again. */
export async function askForCharge(
  { payments, vault, clock }: Pick<Context, 'payments' | 'vault' | 'clock'>,
  payment: PaymentRow,
): Promise<ChargeOutcome> {
  const { id: paymentId, request_sealed, created_at, provider_reference: reference } = payment
  if (request_sealed === null || clock.now() - created_at > rememberedMs)
    return await payments.recall({ paymentId, askedAt: created_at, reference })
  // Sealed by beginCharge.
  const request = JSON.parse(vault.open(request_sealed)) as SealedRequest
  return await payments.charge({
    paymentId,
    sessionId: payment.session_id,
    amountMinor: payment.amount,
    currency: payment.currency,
    ...request,
  })
}
