import type { InputOf } from '#api/call-operation.ts'
import { moneyText, readMoney } from '#texts/money.ts'
import type { Product } from './product-row.tsx'

/** A product as it is typed into its form. */
export type ProductDraft = {
  readonly name: string
  readonly description: string
  readonly sku: string
  readonly price: string
  readonly stock: string
  readonly fulfillment: Product['fulfillment_type']
  readonly images: string
  readonly categories: string
  readonly taxCode: string
  readonly active: boolean
}

export const fulfillments = ['shipping', 'digital', 'pickup', 'none'] as const

const blank: ProductDraft = {
  name: '',
  description: '',
  sku: '',
  price: '',
  stock: '',
  fulfillment: 'shipping',
  images: '',
  categories: '',
  taxCode: '',
  active: true,
}

export function draftOf(product: Product | null): ProductDraft {
  if (product === null) return blank
  return {
    name: product.name,
    description: product.description,
    sku: product.sku ?? '',
    price: moneyText(product.price_amount, product.currency),
    stock: product.stock === null ? '' : String(product.stock),
    fulfillment: product.fulfillment_type,
    images: product.images.join('\n'),
    categories: product.categories.join('\n'),
    taxCode: product.tax_code ?? '',
    active: product.active,
  }
}

type Fields = Omit<InputOf<'upsert_product'>, 'app_id' | 'product_id'>

/** @returns null if the price is not an amount in the currency */
export function fieldsOf(draft: ProductDraft, currency: string): Fields | null {
  const price = readMoney(draft.price, currency)
  if (price === null) return null
  return {
    name: draft.name,
    description: draft.description,
    sku: textOrNull(draft.sku),
    price_amount: price,
    currency,
    stock: draft.stock.trim() === '' ? null : Number(draft.stock),
    fulfillment_type: draft.fulfillment,
    images: linesOf(draft.images),
    categories: linesOf(draft.categories),
    tax_code: textOrNull(draft.taxCode),
    active: draft.active,
  }
}

/**
 * The changed fields of an existing product. The others are left alone, since sales may have changed
 * the stock after the form was opened.
 *
 * @returns null if the price is not an amount in the currency
 */
export function changesOf(
  draft: ProductDraft,
  product: Product,
  currency: string,
): Partial<Fields> | null {
  const after = fieldsOf(draft, currency)
  const before = fieldsOf(draftOf(product), currency)
  if (after === null || before === null) return after
  const isChanged = ([field, value]: [string, unknown]) =>
    // Both are of the same type, so both have each of its fields.
    JSON.stringify(value) !== JSON.stringify(before[field as keyof Fields])
  return Object.fromEntries(Object.entries(after).filter(isChanged))
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
