import type { Config } from '#config'
import type { Billing } from './billing.ts'
import { createStripeBilling } from './stripe-billing.ts'

type BillingConfig = Pick<
  Config,
  | 'stripeSecretKey'
  | 'stripeApiBase'
  | 'paymentTimeoutMs'
  | 'billingPlanPrices'
  | 'billingCreditPacks'
  | 'billingWebhookSecret'
>

/** Null where nothing is sold. */
export function createBilling(config: BillingConfig): Billing | null {
  const { stripeSecretKey, billingWebhookSecret, billingPlanPrices, billingCreditPacks } = config
  // readConfig refuses prices without the key and the secret.
  if (stripeSecretKey === undefined || billingWebhookSecret === undefined) return null
  if (Object.keys(billingPlanPrices).length === 0 && billingCreditPacks.length === 0) return null
  return createStripeBilling({
    secretKey: stripeSecretKey,
    webhookSecret: billingWebhookSecret,
    apiBase: config.stripeApiBase,
    timeoutMs: config.paymentTimeoutMs,
    planPrices: billingPlanPrices,
    packs: billingCreditPacks,
  })
}
