import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#config'
import { costOf, free, maxPriceMicros, priceOf, readPricePattern, type SetPrice } from './price.ts'

const at = (pattern: string, callMicros: number | null, validFrom = 0): SetPrice => ({
  pattern,
  price: callMicros === null ? null : { ...free, callMicros },
  validFrom,
})

describe('the price of a model', () => {
  const prices = [
    at('openai/gpt-5', 1),
    at('openai/*', 2),
    at('*', 3),
    at('action/*', 4),
    at('openai/gpt-5', 5, 1_000),
    at('anthropic/opus', 6),
    at('anthropic/opus', null, 2_000),
  ]

  test.each([
    ['the model itself', 'openai/gpt-5', 1],
    ['else of its provider', 'openai/gpt-4o', 2],
    ['else of every model', 'google/gemini', 3],
    ['the provider before the first slash', 'openai/a/b', 2],
    ['an action is no model', 'action/http', 4],
  ])('is that of %s', (_, model, micros) => {
    expect(priceOf(prices, model, 500).callMicros).toBe(micros)
  })

  test('of a self-hosted provider is nothing, unless the model or its provider has one', () => {
    expect(priceOf(prices, 'local/extractive', 500, true)).toEqual(free)
    expect(priceOf([...prices, at('local/*', 7)], 'local/extractive', 500, true).callMicros).toBe(7)
  })

  test('applies from its time on', () => {
    expect(priceOf(prices, 'openai/gpt-5', 999).callMicros).toBe(1)
    expect(priceOf(prices, 'openai/gpt-5', 1_000).callMicros).toBe(5)
  })

  test('falls back to the wider pattern when it is removed', () => {
    expect(priceOf(prices, 'anthropic/opus', 1_999).callMicros).toBe(6)
    expect(priceOf(prices, 'anthropic/opus', 2_000).callMicros).toBe(3)
  })

  test('is zero if none was set', () => {
    expect(priceOf([], 'openai/gpt-5', 0)).toEqual(free)
    expect(priceOf([at('*', 3)], 'action/http', 0)).toEqual(free)
  })

  const config = readConfig({})

  test.each(['*', 'openai/*', 'openai/gpt-5.2', 'groq/a/b', 'action/http'])(
    '%s can be priced',
    (pattern) => expect(readPricePattern(config, pattern)).toBe(pattern),
  )

  test.each([
    ['google/models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['google/Gemini-2.5-Pro', 'google/gemini-2.5-pro'],
    ['ollama/library/llama3.2:latest', 'ollama/llama3.2'],
  ])('%s is priced as %s', (pattern, canonical) => {
    expect(readPricePattern(config, pattern)).toBe(canonical)
  })

  test('does not depend on the case of the name', () => {
    expect(priceOf(prices, 'openai/GPT-5', 500).callMicros).toBe(1)
  })

  test.each([
    '',
    'openai',
    'openai/',
    '/x',
    'OpenAI/*',
    'openai/g*',
    'openai/a b',
    '**',
    'google/a/*',
    'google/x:generateContent?',
    'google/gemini%2D2.5',
  ])('%j cannot', (pattern) => expect(readPricePattern(config, pattern)).toBeNull())
})

test('a cost is exact and rounded up to a whole micro', () => {
  const amount = fc.integer({ min: 0, max: 10_000_000 })
  const price = fc.integer({ min: 0, max: 1_000_000_000 })
  fc.assert(
    fc.property(amount, amount, price, price, (prompt, completion, perPrompt, perCompletion) => {
      const cost = costOf(
        {
          promptMicrosPerMillion: perPrompt,
          completionMicrosPerMillion: perCompletion,
          callMicros: 7,
        },
        prompt,
        completion,
      )
      const exact = BigInt(prompt) * BigInt(perPrompt) + BigInt(completion) * BigInt(perCompletion)
      const rest = BigInt(cost - 7) * 1_000_000n - exact
      return rest >= 0n && rest < 1_000_000n
    }),
  )
})

test('the highest price of the largest answer is still a safe integer', () => {
  const dear = { ...free, completionMicrosPerMillion: maxPriceMicros }
  expect(Number.isSafeInteger(costOf(dear, 0, 1_000_000_000))).toBe(true)
})

test('tokens from a provider’s cache have their own price, or that of other prompt tokens', () => {
  const million = 1_000_000
  const price = {
    promptMicrosPerMillion: 10 * million,
    completionMicrosPerMillion: 0,
    callMicros: 0,
  }
  expect(costOf(price, 9, 5, 4)).toBe(90)
  expect(costOf({ ...price, cachedMicrosPerMillion: null }, 9, 5, 4)).toBe(90)
  expect(costOf({ ...price, cachedMicrosPerMillion: million }, 9, 5, 4)).toBe(54)
  expect(costOf({ ...price, cachedMicrosPerMillion: 0 }, 9, 5, 4)).toBe(50)
  // A provider that counts more of them than the prompt has does not make it cheaper than that.
  expect(costOf({ ...price, cachedMicrosPerMillion: million }, 9, 5, 40)).toBe(9)
})
