import type { Config } from '#config'
import type { Payments } from './payments.ts'
import { createStripePayments } from './stripe-payments.ts'
import { createTestPayments } from './test-payments.ts'

type PaymentConfig = Pick<
  Config,
  | 'payments'
  | 'stripeSecretKey'
  | 'stripeWebhookSecret'
  | 'stripeApiBase'
  | 'paymentTimeoutMs'
  | 'baseUrl'
>

/** The provider that `PAYMENTS` names. */
export function createPayments(config: PaymentConfig): Payments {
  if (config.payments === 'test') return createTestPayments()
  return createStripePayments({
    // readConfig refuses PAYMENTS=stripe without it.
    secretKey: String(config.stripeSecretKey),
    webhookSecret: config.stripeWebhookSecret,
    apiBase: config.stripeApiBase,
    timeoutMs: config.paymentTimeoutMs,
    // The surface of agentic commerce has that page.
    returnUrl: `${config.baseUrl}/acp/returned`,
  })
}
