import { z } from 'zod'
import { isCurrency } from '#kernel/money.ts'
import { fulfillmentTypes } from './product.ts'

/** The most that one unit may cost, in minor units: sums of a full cart stay exact. */
export const maxPriceMinor = 1_000_000_000
/** The most of one product in one checkout. */
export const maxQuantity = 10_000
/** The most different products in one checkout. */
export const maxLines = 100

export const currencyCode = z
  .string()
  .toLowerCase()
  .refine(isCurrency, 'must be a currency code of ISO 4217, such as usd')

export const webUrl = z
  .string()
  .max(2000)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http(s) URL')

/** The fields of a product that can be set, under their names on the wire. */
export const productFields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(5000),
  sku: z.string().trim().min(1).max(100).nullable().describe('Yours; unique within the agent'),
  price_amount: z.int().min(0).max(maxPriceMinor).describe('In minor units: 1250 is $12.50'),
  currency: currencyCode.describe("ISO 4217; default: the agent's"),
  images: z.array(webUrl).max(20).describe('http(s) URLs; the first is the main one'),
  categories: z.array(z.string().trim().min(1).max(200)).max(20),
  stock: z.int().min(0).max(1_000_000_000).nullable().describe('null: not counted'),
  fulfillment_type: z.enum(fulfillmentTypes),
  tax_code: z.string().trim().min(1).max(100).nullable(),
  active: z.boolean().describe('Whether it is shown and sold'),
}

export const productPatch = z.object(productFields).partial()
export type ProductPatch = z.output<typeof productPatch>
