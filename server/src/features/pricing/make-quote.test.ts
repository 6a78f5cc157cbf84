import { describe, expect, test } from 'vitest'
import { commerceSettings, type Product } from '#features/catalog/index.ts'
import { choices, now, place, product, quote } from '#test/support/commerce/carts.ts'
import { makeQuote } from './make-quote.ts'
import type { Quote } from './quote.ts'
import { totalsDocument } from './totals-document.ts'

const codesOf = ({ messages }: Quote) => messages.map(({ code }) => code)

describe('what a cart costs', () => {
  test('the closest tax rate counts: country before state before tax code', () => {
    const rates = [
      { percent: 1 },
      { percent: 2, tax_code: 'food' },
      { percent: 3, country: 'US' },
      { percent: 4, country: 'US', tax_code: 'food' },
      { percent: 5, country: 'US', state: 'OR' },
      { percent: 6, country: 'DE' },
    ]
    const taxOf = (address: typeof place | null, taxCode: string | null) =>
      quote([[product({ taxCode, priceMinor: 10_000 }), 1]], {
        fulfillmentDetails: address === null ? null : { address },
        settings: { tax: { rates } },
      }).totals.tax
    expect(taxOf(null, null)).toBe(100)
    expect(taxOf(null, 'food')).toBe(200)
    expect(taxOf(place, 'food')).toBe(500)
    expect(taxOf({ ...place, state: 'CA' }, 'food')).toBe(400)
    expect(taxOf({ ...place, state: 'CA' }, null)).toBe(300)
    expect(taxOf({ ...place, country: 'DE' }, null)).toBe(600)
  })

  test('items for pickup are taxed at the pickup location, the rest at the delivery address', () => {
    const settings = {
      tax: {
        rates: [
          { name: 'Oregon', percent: 10, country: 'US', state: 'OR' },
          { name: 'Texas', percent: 20, country: 'US', state: 'TX' },
        ],
      },
      pickup_locations: [
        { id: 'tx', title: 'Austin', address: { ...place, city: 'Austin', state: 'TX' } },
        { id: 'or', title: 'Portland', address: place },
      ],
    }
    const cart = [
      [product({ fulfillmentType: 'pickup', priceMinor: 1000 }), 1],
      [product({ priceMinor: 500 }), 1],
    ] as const
    const taxes = (optionId: string, address: typeof place | null) => {
      const selections = [{ type: 'pickup', optionId }] as const
      const fulfillmentDetails = address === null ? null : { address }
      const { totals, lines } = quote(cart, { settings, selections, fulfillmentDetails })
      return [lines.map(({ tax }) => tax), totals.taxBreakdown.map(({ name }) => name)]
    }
    expect(taxes('tx', place)).toEqual([
      [200, 50],
      ['Texas', 'Oregon'],
    ])
    expect(taxes('or', { ...place, state: 'TX' })).toEqual([
      [100, 100],
      ['Oregon', 'Texas'],
    ])
    expect(taxes('tx', null)).toEqual([[200, 0], ['Texas']])
  })

  test.each([
    [1.1, 0.011],
    [33.3333, 0.333333],
    [100, 1],
  ])('a rate of %d percent is shown as %d', (percent, rate) => {
    const cart = [[product({ fulfillmentType: 'none', priceMinor: 10_000 }), 1]] as const
    const { totals } = quote(cart, { settings: { tax: { rates: [{ percent }] } } })
    const tax = totalsDocument(totals).find(({ type }) => type === 'tax')
    expect(tax?.breakdown?.map((share) => share.rate)).toEqual([rate])
  })

  test('tax is not added to prices that include it', () => {
    const tax = { rates: [{ percent: 20 }], prices_include_tax: true }
    const { totals } = quote([[product({ priceMinor: 1200 }), 1]], { settings: { tax } })
    expect(totals).toMatchObject({ subtotal: 1200, tax: 200, total: 1200 })
  })
})

describe('discount codes', () => {
  const settings = {
    discount_codes: [
      { code: 'TEN', name: 'Ten percent', percent_off: 10 },
      { code: 'FIVE', name: 'Five off', amount_off: 500 },
      { code: 'ALONE', name: 'Alone', percent_off: 50, combinable: false },
      { code: 'BIG', name: 'Big', percent_off: 5, minimum_amount: 100_000 },
      { code: 'OLD', name: 'Old', percent_off: 5, ends_at: '2026-01-02T03:04:05Z' },
      { code: 'SOON', name: 'Soon', percent_off: 5, starts_at: '2026-01-02T03:04:06Z' },
    ],
  }
  const cart = [[product({ priceMinor: 1000 }), 2]] as const

  test('are applied one after the other, each to the remaining amount, in any letter case', () => {
    const { totals, discounts } = quote(cart, { settings, discountCodes: ['ten', 'FIVE'] })
    expect(discounts.applied.map(({ code, amount }) => [code, amount])).toEqual([
      ['TEN', 200],
      ['FIVE', 500],
    ])
    expect(totals.subtotal).toBe(1300)
  })

  test.each([
    [['NOPE'], 'discount_code_invalid'],
    [['SOON'], 'discount_code_invalid'],
    [['OLD'], 'discount_code_expired'],
    [['BIG'], 'discount_code_minimum_not_met'],
    [['TEN', 'ten'], 'discount_code_already_applied'],
    [['TEN', 'ALONE'], 'discount_code_combination_disallowed'],
    [['ALONE', 'TEN'], 'discount_code_combination_disallowed'],
  ])('%j: refused with %s, as a warning', (discountCodes, reason) => {
    const found = quote(cart, { settings, discountCodes })
    expect(found.discounts.rejected).toEqual([{ code: discountCodes.at(-1), reason }])
    expect(found.messages).toContainEqual(
      expect.objectContaining({ type: 'warning', code: reason }),
    )
  })

  test('never exceed the price', () => {
    const cheap = [[product({ priceMinor: 100, fulfillmentType: 'none' }), 1]] as const
    expect(quote(cheap, { settings, discountCodes: ['FIVE'] }).totals.total).toBe(0)
  })
})

describe('what a cart is missing', () => {
  const known = { buyer: { email: 'ada@example.com' } }
  const addressed = { fulfillmentDetails: { address: place } }

  test.each([
    ['digital', {}, ['buyer_missing']],
    ['digital', known, []],
    ['none', {}, ['buyer_missing']],
    ['none', known, []],
    ['shipping', known, ['address_missing']],
    ['shipping', addressed, []],
    ['pickup', known, ['no_pickup_location']],
  ] as const)('%s, knowing %j: %j', (fulfillmentType, more, codes) => {
    expect(codesOf(quote([[product({ fulfillmentType }), 1]], more))).toEqual(codes)
  })

  test('an e-mail address in the fulfillment details is enough to identify the buyer', () => {
    const more = { fulfillmentDetails: { email: 'ada@example.com' } }
    expect(codesOf(quote([[product({ fulfillmentType: 'digital' }), 1]], more))).toEqual([])
  })

  test('one of several options must be selected; a single option is selected automatically', () => {
    const settings = {
      shipping_options: [
        { id: 'slow', title: 'Slow' },
        { id: 'fast', title: 'Fast', price_amount: 900 },
      ],
    }
    const cart = [[product(), 1]] as const
    expect(codesOf(quote(cart, { ...addressed, settings }))).toEqual(['option_missing'])
    const selections = [{ type: 'shipping', optionId: 'fast' }] as const
    const chosen = quote(cart, { ...addressed, settings, selections })
    expect(codesOf(chosen)).toEqual([])
    expect(chosen.totals.fulfillment).toBe(900)
  })

  test('options are offered for their countries and in their currency', () => {
    const settings = {
      shipping_options: [
        { id: 'home', title: 'Home', countries: ['DE'] },
        { id: 'abroad', title: 'Abroad', price_amount: 900, currency: 'eur' },
      ],
    }
    expect(codesOf(quote([[product(), 1]], { ...addressed, settings }))).toEqual([
      'region_restricted',
    ])
    const euro = quote([[product({ currency: 'eur' }), 1]], { ...addressed, settings })
    expect(euro.selections).toEqual([{ type: 'shipping', optionId: 'abroad' }])
  })

  test('products that are gone, out of stock or more expensive are reported', () => {
    const teapot = product({ fulfillmentType: 'none', stock: 2 })
    const seen = quote([[teapot, 1]], known)
    const codes = (fields: Partial<Product>, quantity = 1) =>
      codesOf(quote([[{ ...teapot, ...fields }, quantity]], known, seen))
    expect(codes({ stock: 0 })).toEqual(['out_of_stock'])
    expect(codes({}, 3)).toEqual(['quantity_exceeded'])
    expect(codes({ active: false })).toEqual(['product_gone'])
    const hidden = quote([[{ ...teapot, active: false }, 1]], known, seen)
    expect(hidden.lines).toMatchObject([{ availability: 'out_of_stock', available: 0 }])
    expect(codes({ priceMinor: 1001 })).toEqual(['low_stock', 'price_change'])
    const without = makeQuote(choices([[teapot, 1]], known), {
      settings: commerceSettings.parse({}),
      currency: 'usd',
      products: new Map(),
      seen,
      now,
    })
    expect(codesOf(without)).toEqual(['product_gone'])
    expect(without.lines).toMatchObject([{ unitAmount: 1000, availability: 'out_of_stock' }])
  })
})
