import { isPlan, planNames, type Plan } from '#kernel/plan.ts'
import { integer, limitsByPlan, optionalText, pairs, variable, wholeNumber } from './variable.ts'

/** The Stripe price of each plan. */
export type PlanPrices = Readonly<Partial<Record<Plan, string>>>
export interface CreditPack {
  readonly credits: number
  readonly priceId: string
}

const planCredits = limitsByPlan(0, 'free=100')

const planPrices = pairs(
  (plan, priceId): [Plan, string] | null => (isPlan(plan) ? [plan, priceId] : null),
  'builder=price_1AbC',
).transform((entries): PlanPrices => Object.fromEntries(entries))

const creditPacks = pairs(
  (credits, priceId): CreditPack | null =>
    wholeNumber.test(credits) && Number(credits) > 0 ? { credits: Number(credits), priceId } : null,
  '1000=price_1AbC',
)

/** Credits, and the sale of plans and credits. */
export const billingVariables = {
  PLAN_CREDITS: variable(
    planCredits,
    `Monthly credits of a workspace by plan (${planNames.join(', ')}), where they differ from the defaults: \`free=100,builder=2000,studio=unlimited\`.`,
    { fallback: '' },
  ),
  CREDIT_OUTPUT_TOKENS: variable(
    integer(1, 1_000_000),
    'Maximum number of tokens in an answer if credits are limited and the agent has no limit of its own.',
    { fallback: '4096' },
  ),
  BILLING_PLAN_PRICES: variable(
    planPrices,
    'Stripe prices of the plans that can be bought: `builder=price_1AbC,studio=price_2DeF`. Requires `STRIPE_SECRET_KEY`.',
    { fallback: '' },
  ),
  BILLING_CREDIT_PACKS: variable(
    creditPacks,
    'Stripe prices of credit packs, by number of credits: `1000=price_3GhI,5000=price_4JkL`.',
    { fallback: '' },
  ),
  BILLING_WEBHOOK_SECRET: variable(
    optionalText,
    'Signing secret of the Stripe webhook at `/hooks/billing/stripe`; required to sell plans or credits.',
    { secret: true },
  ),
} as const

/** Selling needs the account's key, and its webhook to learn what was paid. */
export function billingProblems(values: Readonly<Record<string, unknown>>): string[] {
  const isSet = (name: string) => values[name] !== undefined
  const sells =
    Object.keys(values.billingPlanPrices ?? {}).length > 0 ||
    (Array.isArray(values.billingCreditPacks) && values.billingCreditPacks.length > 0)
  if (!sells) return []
  const problems: string[] = []
  if (!isSet('stripeSecretKey'))
    problems.push('STRIPE_SECRET_KEY is required to sell plans or credits')
  if (!isSet('billingWebhookSecret'))
    problems.push('BILLING_WEBHOOK_SECRET is required to sell plans or credits')
  return problems
}
