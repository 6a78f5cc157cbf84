import type { Config } from '#config'
import type { Billing } from './billing.ts'
import { createStripeBilling } from './stripe-billing.ts'

/** Null when nothing is sold. */
export function createBilling(config: Config): Billing | null {
  const { stripeSecretKey, billingWebhookSecret, billingPlanPrices, billingCreditPacks } = config
  // readConfig requires the key and the secret with any price.
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
