import { expect, test } from 'vitest'
import { checkoutDraftOf, checkoutFieldsOf, type CheckoutSettings } from './checkout-draft.ts'

const settings = {
  currency: 'usd',
  shipping_options: [
    { id: 's1', title: 'Parcel', price_amount: 500, countries: ['DE', 'AT'], carrier: 'Post' },
  ],
  tax: {
    rates: [{ name: 'VAT', percent: 19, country: 'DE', region: 'BY' }],
    prices_include_tax: true,
    shipping_taxed: false,
  },
  pickup_locations: [
    {
      id: 'p1',
      title: 'Shop',
      phone: '+49 1',
      address: {
        name: 'Ada',
        line_one: 'Way 1',
        city: 'Ulm',
        state: '',
        country: 'DE',
        postal_code: '8',
      },
    },
  ],
  discount_codes: [
    { code: 'TEN', name: 'Ten off', percent_off: 10, minimum_amount: 0, combinable: false },
    {
      code: 'FIVE',
      name: 'Five off',
      amount_off: 500,
      minimum_amount: 2050,
      combinable: true,
      ends_at: '2030-01-01T00:00:00Z',
    },
  ],
  links: { terms: 'https://shop.example/terms', support: 'https://shop.example/help' },
} as unknown as CheckoutSettings // the fields that the form has, and some that it does not show

const draft = checkoutDraftOf(settings)

test('settings that are opened and saved stay the same, those that the form does not show too', () => {
  const { app_id: _, payments: __, support: ___, ...fields } = settings
  expect(checkoutFieldsOf(draft, settings)).toEqual({
    fields,
  })
})

test('countries are two letters each, in any writing, and none means everywhere', () => {
  const [parcel] = draft.shipping
  if (parcel === undefined) throw new Error('the settings have an option')
  const shipping = [
    { ...parcel, countries: 'de;at, Ch' },
    { ...parcel, id: 's2', countries: '' },
  ]
  const changed = checkoutFieldsOf({ ...draft, shipping }, settings)
  expect(changed).toMatchObject({
    fields: { shipping_options: [{ countries: ['DE', 'AT', 'CH'] }, { id: 's2' }] },
  })
  expect(JSON.stringify(changed)).not.toContain('"countries":[]')
})

test('an option whose price is not an amount is named', () => {
  const shipping = draft.shipping.map((option) => ({ ...option, price: 'free' }))
  expect(checkoutFieldsOf({ ...draft, shipping }, settings)).toEqual({ wrongPrice: 'Parcel' })
})

test('a discount code is valid from the beginning of its first to the end of its last day', () => {
  const [ten, five] = draft.codes
  if (ten === undefined || five === undefined) throw new Error('the settings have two codes')
  const days = { firstDay: '2027-03-01', lastDay: '2027-03-31' }
  const changed = checkoutFieldsOf(
    {
      ...draft,
      codes: [
        { ...ten, ...days },
        { ...five, lastDay: '' },
      ],
    },
    settings,
  )
  const at = (day: string) => new Date(`${day}T00:00:00`).toISOString()
  const [first, second] = 'fields' in changed ? (changed.fields.discount_codes ?? []) : []
  expect(first).toMatchObject({ starts_at: at('2027-03-01'), ends_at: at('2027-04-01') })
  expect(second).not.toHaveProperty('ends_at')
})

test('a discount code whose discount is not an amount is named', () => {
  const codes = draft.codes.map((code) => ({ ...code, off: '5.005' }))
  expect(checkoutFieldsOf({ ...draft, codes }, settings)).toEqual({ wrongPrice: 'FIVE' })
})

test('the row of a code or tax rate keeps its own hidden fields when the stored lists change', () => {
  const { tax, discount_codes: codes } = settings
  const changed: CheckoutSettings = {
    ...settings,
    tax: { ...tax, rates: [{ name: 'Other', percent: 7, state: 'AB' }, ...tax.rates] },
    discount_codes: codes.toReversed(),
  }
  expect(checkoutFieldsOf(draft, changed)).toMatchObject({
    fields: { tax: { rates: tax.rates }, discount_codes: codes },
  })
})

test('a link that is emptied is removed', () => {
  expect(checkoutFieldsOf({ ...draft, terms: ' ' }, settings)).toMatchObject({
    fields: { links: { support: 'https://shop.example/help' } },
  })
})
