import { z } from 'zod'
import { rateDecimals } from '#kernel/money.ts'
import { parsingOnce } from '#kernel/parsing-once.ts'
import { currencyCode, maxPriceMinor, webUrl } from './product-fields.ts'

const optionId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters, digits, _ and -')
const title = z.string().trim().min(1).max(200)
const country = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, 'must be a country code of ISO 3166-1, such as US')
const amount = z.int().min(0).max(maxPriceMinor)

/** A percentage that money arithmetic represents exactly. */
const percent = z
  .number()
  .min(0)
  .max(100)
  .refine(
    (value) => Number(value.toFixed(rateDecimals)) === value,
    `must have at most ${rateDecimals} decimals`,
  )

const shippingOption = z.strictObject({
  id: optionId,
  title,
  description: z.string().max(500).default(''),
  price_amount: amount.default(0).describe('In minor units'),
  currency: currencyCode.optional().describe("default: the agent's"),
  carrier: z.string().max(100).optional(),
  min_days: z.int().min(0).max(365).optional(),
  max_days: z.int().min(0).max(365).optional(),
  countries: z.array(country).max(250).optional().describe('default: everywhere'),
})

const address = z.strictObject({
  name: z.string().min(1).max(200),
  line_one: z.string().min(1).max(200),
  line_two: z.string().max(200).optional(),
  city: z.string().min(1).max(200),
  state: z.string().max(100),
  country,
  postal_code: z.string().max(30),
})

const pickupLocation = z.strictObject({
  id: optionId,
  title,
  address,
  phone: z.string().max(50).optional(),
  instructions: z.string().max(500).optional(),
})

const taxRate = z.strictObject({
  name: z.string().trim().min(1).max(100).default('Tax'),
  percent,
  country: country.optional().describe('default: everywhere'),
  state: z.string().trim().toUpperCase().max(60).optional(),
  tax_code: z.string().max(100).optional().describe('default: all products'),
})

const tax = z.strictObject({
  rates: z.array(taxRate).max(500).default([]),
  prices_include_tax: z.boolean().default(false),
  shipping_taxed: z.boolean().default(false),
})

const discountCode = z
  .strictObject({
    code: z.string().trim().min(1).max(50),
    name: title,
    percent_off: percent.optional(),
    amount_off: amount.optional().describe('In minor units'),
    minimum_amount: amount.default(0),
    starts_at: z.iso.datetime({ offset: true }).optional(),
    ends_at: z.iso.datetime({ offset: true }).optional(),
    combinable: z.boolean().default(true),
  })
  .refine(
    (code) => (code.percent_off === undefined) !== (code.amount_off === undefined),
    'give either percent_off or amount_off',
  )

const links = z.strictObject({
  terms: webUrl.optional(),
  privacy: webUrl.optional(),
  returns: webUrl.optional(),
  shipping: webUrl.optional(),
  contact: webUrl.optional(),
  about: webUrl.optional(),
  faq: webUrl.optional(),
  support: webUrl.optional(),
})

const support = z.strictObject({
  email: z.email().optional(),
  phone: z.string().max(50).optional(),
  hours: z.string().max(200).optional(),
  help_center_url: webUrl.optional(),
})

const distinct = (name: string) => ({
  check: (items: readonly Readonly<Record<string, unknown>>[]) =>
    new Set(items.map((item) => String(item[name]).toLowerCase())).size === items.length,
  message: `${name} must be different in each`,
})
const byId = distinct('id')
const byCode = distinct('code')

/** The default of a new agent: one shipping option, free and standard. */
const standardShipping = [{ id: 'standard', title: 'Standard shipping' }]

const commerceFields = {
  currency: currencyCode,
  shipping_options: z.array(shippingOption).max(50).refine(byId.check, byId.message),
  pickup_locations: z.array(pickupLocation).max(50).refine(byId.check, byId.message),
  tax,
  discount_codes: z.array(discountCode).max(200).refine(byCode.check, byCode.message),
  links,
  support,
}

/** How an agent sells. Every field has a default, so that one added later needs no migration. */
export const commerceSettings = z.object({
  currency: commerceFields.currency.default('usd'),
  shipping_options: commerceFields.shipping_options.prefault(standardShipping),
  pickup_locations: commerceFields.pickup_locations.default([]),
  tax: commerceFields.tax.prefault({}),
  discount_codes: commerceFields.discount_codes.default([]),
  links: commerceFields.links.default({}),
  support: commerceFields.support.default({}),
})

export const commercePatch = z.object(commerceFields).partial()

export type CommerceSettings = z.output<typeof commerceSettings>
export type CommercePatch = z.output<typeof commercePatch>
export type ShippingOption = z.output<typeof shippingOption>
export type PickupLocation = z.output<typeof pickupLocation>
export type TaxRate = z.output<typeof taxRate>
export type DiscountCode = z.output<typeof discountCode>

const defaults = commerceSettings.parse({})

const readStored = parsingOnce(commerceSettings)

/** Settings from their stored JSON; null is an agent that never changed them. */
export function readCommerceSettings(json: string | null | undefined): CommerceSettings {
  return json === null || json === undefined ? defaults : readStored(json)
}
