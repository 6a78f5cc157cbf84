import { commerceSettings, type Product } from '#features/catalog/index.ts'
import type { Choices } from '#features/pricing/choices.ts'
import { makeQuote } from '#features/pricing/make-quote.ts'
import type { Quote } from '#features/pricing/quote.ts'
import { newId } from '#kernel/ids.ts'

export const now = Date.parse('2026-01-02T03:04:05Z')
export const place = {
  name: 'Ada',
  line_one: '1 Street',
  city: 'Portland',
  state: 'OR',
  country: 'US',
  postal_code: '97201',
}

/** A product on sale for ten dollars, with the given fields replaced. */
export function product(fields: Partial<Product> = {}): Product {
  return {
    id: newId(),
    agentId: 'agent',
    name: 'Teapot',
    description: '',
    sku: null,
    priceMinor: 1000,
    currency: 'usd',
    images: [],
    categories: [],
    stock: null,
    fulfillmentType: 'shipping',
    taxCode: null,
    active: true,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  }
}

/** The buyer's choices: the items, and the given fields. */
export function choices(
  items: readonly (readonly [Product, number])[],
  more: Partial<Choices> = {},
): Choices {
  return {
    items: items.map(([{ id }, quantity]) => ({ productId: id, quantity })),
    buyer: null,
    fulfillmentDetails: null,
    selections: [],
    discountCodes: [],
    locale: null,
    timezone: null,
    metadata: null,
    orderNotes: null,
    notices: [],
    authentication: null,
    ...more,
  }
}

/** The quote for products and quantities, in a shop with these settings. */
export function quote(
  items: readonly (readonly [Product, number])[],
  { settings = {}, ...more }: Partial<Choices> & { settings?: object } = {},
  seen: Quote | null = null,
): Quote {
  return makeQuote(choices(items, more), {
    settings: commerceSettings.parse(settings),
    currency: items[0]?.[0].currency ?? 'usd',
    products: new Map(items.map(([one]) => [one.id, one])),
    seen,
    now,
  })
}
