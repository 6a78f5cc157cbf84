import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, formatMoney, includedPercent, isCurrency, percentOf } from './money.ts'

const amount = fc.integer({ min: 0, max: 1_000_000_000_000 })
const percent = fc.integer({ min: 0, max: 1_000_000 }).map((scaled) => scaled / 10_000)

describe('money', () => {
  test.each([
    [1000, 8.25, 83],
    [1, 50, 1],
    [1, 49.9999, 0],
    [300, 10, 30],
    [999_999_999_999, 100, 999_999_999_999],
  ])('%i at %d percent is %i, rounded half up', (base, rate, expected) => {
    expect(percentOf(base, rate)).toBe(expected)
  })

  test('a percentage is within half a minor unit of the exact one', () => {
    fc.assert(
      fc.property(amount, percent, (base, rate) => {
        const doubled = 2n * BigInt(percentOf(base, rate)) * 1_000_000n
        const exact = 2n * BigInt(base) * BigInt(Math.round(rate * 10_000))
        const distance = doubled > exact ? doubled - exact : exact - doubled
        expect(distance <= 1_000_000n).toBe(true)
      }),
    )
  })

  test('the tax included in a gross amount is the tax on the net amount', () => {
    fc.assert(
      fc.property(amount, percent, (gross, rate) => {
        const tax = includedPercent(gross, rate)
        expect(Math.abs(percentOf(gross - tax, rate) - tax)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('parts add up to the whole, and none differs from its share by more than a unit', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 1_000_000_000 }), { minLength: 1 })
    fc.assert(
      fc.property(amount, weights, (whole, shares) => {
        const parts = allocate(whole, shares)
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole)
        expect(parts.every((part) => part >= 0)).toBe(true)
        const sum = shares.reduce((total, share) => total + share, 0)
        if (sum === 0) return
        for (const [index, share] of shares.entries())
          expect(Math.abs((parts[index] ?? 0) - (whole * share) / sum)).toBeLessThan(1.001)
      }),
    )
  })

  test('amounts read as people write them, without decimals where a currency has none', () => {
    expect(formatMoney({ amountMinor: 1250, currency: 'usd' })).toBe('$12.50')
    expect(formatMoney({ amountMinor: 1200, currency: 'jpy' })).toBe('¥1,200')
    expect(formatMoney({ amountMinor: 1234, currency: 'kwd' })).toMatch(/1\.234$/)
    // People write no fillér; ISO 4217 and payment providers count them.
    expect(formatMoney({ amountMinor: 125_000, currency: 'huf' })).toMatch(/1,250\.00$/)
    expect(formatMoney({ amountMinor: 1250, currency: 'idr' })).toMatch(/12\.50$/)
  })

  test('currencies are lowercase codes of ISO 4217', () => {
    expect(['usd', 'eur', 'jpy'].every(isCurrency)).toBe(true)
    expect(['USD', 'abcd', 'zzz', ''].some(isCurrency)).toBe(false)
  })
})
