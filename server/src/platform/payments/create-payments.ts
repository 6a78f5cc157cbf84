import type { Config } from '#config'
import type { Payments } from './payments.ts'
import { createStripePayments } from './stripe-payments.ts'
import { createTestPayments } from './test-payments.ts'

/** The provider that `PAYMENTS` names. */
export function createPayments(config: Config): Payments {
  if (config.payments === 'test') return createTestPayments()
  return createStripePayments({
    // readConfig requires it with PAYMENTS=stripe.
    secretKey: String(config.stripeSecretKey),
    webhookSecret: config.stripeWebhookSecret,
    apiBase: config.stripeApiBase,
    timeoutMs: config.paymentTimeoutMs,
    // A page of the acp surface.
    returnUrl: `${config.baseUrl}/acp/returned`,
  })
}
