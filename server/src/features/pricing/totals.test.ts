import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fulfillmentTypes } from '#features/catalog/index.ts'
import { place, product, quote } from '#test/support/commerce/carts.ts'
import type { Quote } from './quote.ts'
import { lineTotalsDocument, totalsDocument } from './totals-document.ts'

describe('the totals of a cart', () => {
  const price = fc.integer({ min: 0, max: 1_000_000_000 })
  const item = fc.record({
    priceMinor: price,
    quantity: fc.integer({ min: 1, max: 10_000 }),
    fulfillmentType: fc.constantFrom(...fulfillmentTypes),
    taxCode: fc.constantFrom(null, 'food', 'books'),
  })
  const percent = fc.integer({ min: 0, max: 1_000_000 }).map((scaled) => scaled / 10_000)
  const rate = fc.record(
    {
      name: fc.constantFrom('Sales tax', 'City tax'),
      percent,
      country: fc.constantFrom('US', 'DE'),
      state: fc.constantFrom('OR', 'CA'),
      tax_code: fc.constantFrom('food', 'books'),
    },
    { requiredKeys: ['name', 'percent'] },
  )
  const discount = fc.oneof(fc.record({ percent_off: percent }), fc.record({ amount_off: price }))
  const shop = fc.record({
    currency: fc.constantFrom('usd', 'jpy', 'kwd'),
    rates: fc.array(rate, { maxLength: 5 }),
    prices_include_tax: fc.boolean(),
    shipping_taxed: fc.boolean(),
    discounts: fc.array(discount, { maxLength: 4 }),
    shipping: price,
    hasAddress: fc.boolean(),
  })

  test('add up for every cart, in every currency, with any tax and any discounts', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), shop, (items, terms) => {
        const { currency, discounts, shipping, hasAddress, ...tax } = terms
        const cart = items.map(
          ({ quantity, ...fields }) => [product({ ...fields, currency }), quantity] as const,
        )
        const codes = discounts.map((_, index) => `CODE${index}`)
        const found = quote(cart, {
          discountCodes: codes,
          fulfillmentDetails: hasAddress ? { address: place } : null,
          settings: {
            currency,
            tax,
            shipping_options: [{ id: 'only', title: 'Only', price_amount: shipping }],
            discount_codes: discounts.map((one, index) => ({
              ...one,
              code: `code${index}`,
              name: 'Off',
            })),
          },
        })
        expectToAddUp(found)
      }),
      { numRuns: 300 },
    )
  })

  function expectToAddUp({ lines, totals, discounts }: Quote) {
    const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)
    for (const line of lines) {
      const rows = new Map(
        lineTotalsDocument(line, totals.taxIncluded).map(({ type, amount }) => [type, amount]),
      )
      expect(rows.get('items_base_amount')).toBe(line.unitAmount * line.quantity)
      expect(line.base - line.discount).toBe(line.subtotal)
      expect(line.subtotal + (rows.get('tax') ?? 0)).toBe(rows.get('total'))
      for (const amount of rows.values()) expect(Number.isSafeInteger(amount)).toBe(true)
      expect(line.subtotal).toBeGreaterThanOrEqual(0)
    }
    expect(sum(lines.map(({ base }) => base))).toBe(totals.itemsBase)
    expect(sum(lines.map(({ subtotal }) => subtotal))).toBe(totals.subtotal)
    expect(sum(discounts.applied.map(({ amount }) => amount))).toBe(totals.itemsDiscount)
    for (const { amount, allocations } of discounts.applied) expect(sum(allocations)).toBe(amount)
    const rows = new Map(totalsDocument(totals).map(({ type, amount }) => [type, amount]))
    const added = (rows.get('fulfillment') ?? 0) + (rows.get('tax') ?? 0)
    expect((rows.get('items_base_amount') ?? 0) - (rows.get('items_discount') ?? 0)).toBe(
      rows.get('subtotal'),
    )
    expect((rows.get('subtotal') ?? 0) + added).toBe(rows.get('total'))
    expect(sum(totals.taxBreakdown.map(({ amount }) => amount))).toBe(totals.tax)
    for (const amount of rows.values()) {
      expect(Number.isSafeInteger(amount)).toBe(true)
      expect(amount).toBeGreaterThanOrEqual(0)
    }
  }
})
