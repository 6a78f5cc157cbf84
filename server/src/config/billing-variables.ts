import { isPlan, planNames, type Plan } from '#kernel/plan.ts'
import { integer, list, optionalText, variable } from './variable.ts'

/** Credits a month by plan; null is unlimited. */
export type PlanCredits = Readonly<Partial<Record<Plan, number | null>>>

/** What Stripe sells: its price of each plan, and of each pack by the credits in it. */
export type PlanPrices = Readonly<Partial<Record<Plan, string>>>
export interface CreditPack {
  readonly credits: number
  readonly priceId: string
}

const pairs = <T>(read: (name: string, value: string) => T | null, example: string) =>
  list.transform((items, context): T[] =>
    items.flatMap((item) => {
      const [name = '', value = '', ...rest] = item.split('=').map((part) => part.trim())
      const pair = rest.length > 0 || value === '' ? null : read(name, value)
      if (pair !== null) return [pair]
      context.addIssue({
        code: 'custom',
        message: `must be pairs like ${example}, and ${JSON.stringify(item)} is not one`,
      })
      return []
    }),
  )

const wholeNumber = /^\d{1,9}$/

const planCredits = pairs((plan, credits): [Plan, number | null] | null => {
  if (!isPlan(plan)) return null
  if (credits === 'unlimited') return [plan, null]
  return wholeNumber.test(credits) ? [plan, Number(credits)] : null
}, 'free=100 or builder=unlimited').transform((entries): PlanCredits => Object.fromEntries(entries))

const planPrices = pairs(
  (plan, priceId): [Plan, string] | null => (isPlan(plan) ? [plan, priceId] : null),
  'builder=price_1AbC',
).transform((entries): PlanPrices => Object.fromEntries(entries))

const creditPacks = pairs(
  (credits, priceId): CreditPack | null =>
    wholeNumber.test(credits) && Number(credits) > 0 ? { credits: Number(credits), priceId } : null,
  '1000=price_1AbC',
)

/** Credits, and selling plans and credits. */
export const billingVariables = {
  PLAN_CREDITS: variable(
    planCredits,
    `Credits that a workspace gets every month by plan (${planNames.join(', ')}), where they differ from the plans’ own: \`free=100,builder=2000,studio=unlimited\`.`,
    { fallback: '' },
  ),
  CREDIT_OUTPUT_TOKENS: variable(
    integer(1, 1_000_000),
    'Most tokens of an answer, where credits are limited and the agent sets no limit of its own.',
    { fallback: '4096' },
  ),
  BILLING_PLAN_PRICES: variable(
    planPrices,
    'Stripe prices of the plans that can be bought: `builder=price_1AbC,studio=price_2DeF`. Needs `STRIPE_SECRET_KEY`.',
    { fallback: '' },
  ),
  BILLING_CREDIT_PACKS: variable(
    creditPacks,
    'Stripe prices of packs of credits, by the credits in them: `1000=price_3GhI,5000=price_4JkL`.',
    { fallback: '' },
  ),
  BILLING_WEBHOOK_SECRET: variable(
    optionalText,
    'Signing secret of the Stripe webhook at `/hooks/billing/stripe`; required to sell plans or credits.',
    { secret: true },
  ),
} as const

/** Selling needs the key of the account, and word from it of what was paid. */
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
