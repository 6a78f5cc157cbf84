import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '#config'

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('the variables of plans and credits', () => {
  test('are pairs, by plan or by size of the pack', () => {
    const config = readConfig({
      PLAN_CREDITS: 'free=0, studio=unlimited',
      STRIPE_SECRET_KEY: 'sk_test_x',
      BILLING_WEBHOOK_SECRET: 'whsec_x',
      BILLING_PLAN_PRICES: 'builder=price_1',
      BILLING_CREDIT_PACKS: '1000=price_2, 5000=price_3',
    })
    expect(config.planCredits).toEqual({ free: 0, studio: null })
    expect(config.billingPlanPrices).toEqual({ builder: 'price_1' })
    expect(config.billingCreditPacks).toEqual([
      { credits: 1000, priceId: 'price_2' },
      { credits: 5000, priceId: 'price_3' },
    ])
  })

  test.each([
    ['PLAN_CREDITS', 'gold=5', '"gold=5"'],
    ['PLAN_CREDITS', 'free=many', '"free=many"'],
    ['PLAN_CREDITS', 'free', '"free"'],
    ['BILLING_PLAN_PRICES', 'builder=', '"builder="'],
    ['BILLING_CREDIT_PACKS', '0=price_1', '"0=price_1"'],
  ])('%s=%s is rejected with a reason', (name, value, told) => {
    const [problem, ...others] = problemsOf({ [name]: value })
    expect(problem).toContain(name)
    expect(problem).toContain(told)
    expect(others).toEqual([])
  })

  test('require the account’s key and the webhook’s secret if something is sold', () => {
    expect(problemsOf({ BILLING_CREDIT_PACKS: '1000=price_1' })).toEqual([
      'STRIPE_SECRET_KEY is required to sell plans or credits',
      'BILLING_WEBHOOK_SECRET is required to sell plans or credits',
    ])
    expect(problemsOf({ STRIPE_SECRET_KEY: 'sk_test_x' })).toEqual([])
  })
})
