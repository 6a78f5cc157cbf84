/**
 * Stripe counts some currencies differently from ISO 4217
 * (https://docs.stripe.com/currencies#special-cases).
 */
const twoDecimalsAtStripe: ReadonlySet<string> = new Set(['isk', 'ugx'])
/** Two decimals in ISO 4217, none at Stripe. */
const noDecimalsAtStripe: ReadonlySet<string> = new Set(['mga'])
const threeDecimals: ReadonlySet<string> = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd'])

/** Converts minor units to Stripe's; null when Stripe cannot charge the amount exactly. */
export function stripeAmount(amountMinor: number, currency: string): number | null {
  if (twoDecimalsAtStripe.has(currency)) return amountMinor * 100
  if (noDecimalsAtStripe.has(currency)) return amountMinor % 100 === 0 ? amountMinor / 100 : null
  // The last digit of a three-decimal amount must be 0.
  if (threeDecimals.has(currency) && amountMinor % 10 !== 0) return null
  return amountMinor
}
