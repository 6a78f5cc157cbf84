import { z } from 'zod'
import { readPrice } from '#kernel/read-price.ts'
import { productFields, type ProductPatch } from './product-fields.ts'
import type { UpsertProduct } from './product-plan.ts'

/** A list within a cell: its items are separated by `|`. */
const cellList = z.string().transform((cell) =>
  cell
    .split('|')
    .map((item) => item.trim())
    .filter(Boolean),
)
const cellInteger = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)
const cellFlag = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0', 'yes', 'no'], 'must be true or false'))
  .transform((word) => word === 'true' || word === '1' || word === 'yes')

/** The fields that a column can hold; an empty cell leaves a field as it is. */
const cells = z.strictObject({
  product_id: z.guid().toLowerCase().optional(),
  name: productFields.name.optional(),
  description: productFields.description.optional(),
  sku: productFields.sku.unwrap().optional(),
  price: z.string().optional(),
  price_amount: cellInteger.pipe(productFields.price_amount).optional(),
  currency: productFields.currency.optional(),
  images: cellList.pipe(productFields.images).optional(),
  categories: cellList.pipe(productFields.categories).optional(),
  stock: cellInteger.pipe(productFields.stock.unwrap()).optional(),
  fulfillment_type: productFields.fulfillment_type.optional(),
  tax_code: productFields.tax_code.unwrap().optional(),
  active: cellFlag.optional(),
})

export const csvFields = cells.keyof()
export type CsvField = z.output<typeof csvFields>

export function isCsvField(name: string): name is CsvField {
  return Object.hasOwn(cells.shape, name)
}

/** Names that other shops and spreadsheets give to columns, in lower case and without spaces. */
const otherNames: Readonly<Partial<Record<CsvField, readonly string[]>>> = {
  name: ['title', 'product', 'product_name', 'bezeichnung', 'artikel', 'produkt'],
  description: ['body', 'body_html', 'details', 'beschreibung'],
  sku: ['variant_sku', 'item_number', 'article_number', 'artikelnummer'],
  price: ['variant_price', 'unit_price', 'regular_price', 'preis'],
  currency: ['währung'],
  images: ['image', 'image_src', 'image_url', 'bild'],
  categories: ['category', 'kategorie', 'product_type', 'type'],
  stock: ['quantity', 'qty', 'inventory', 'variant_inventory_qty', 'bestand', 'lagerbestand'],
  fulfillment_type: ['delivery', 'shipping_type'],
  active: ['published', 'for_sale'],
}

/**
 * The field that each column probably holds; null if its header suggests none. Each field is suggested
 * once: for the column with the field's own name, else for the first of its other names. A header that
 * occurs twice names no column.
 */
export function guessFields(headers: readonly string[]): readonly (CsvField | null)[] {
  const names = headers.map((header) =>
    headers.indexOf(header) === headers.lastIndexOf(header) ? plainName(header) : '',
  )
  const guesses: (CsvField | null)[] = headers.map(() => null)
  for (const field of csvFields.options) {
    const known = [field, ...(otherNames[field] ?? [])]
    const column = known.map((name) => names.indexOf(name)).find((found) => found !== -1)
    if (column !== undefined) guesses[column] = field
  }
  return guesses
}

function plainName(header: string): string {
  return header.toLowerCase().replaceAll(/[\s-]+/g, '_')
}

/**
 * The product of a line.
 *
 * @param usual the currency of a price that names none
 */
export function readCells(
  line: Readonly<Record<string, string>>,
  usual: string,
): { readonly product: UpsertProduct } | { readonly problems: readonly string[] } {
  const parsed = cells.safeParse(line)
  if (!parsed.success)
    return {
      problems: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    }
  const { product_id, price, ...rest } = parsed.data
  const read = price === undefined ? {} : priced(price, rest, usual)
  if ('problem' in read) return { problems: [`price: ${read.problem}`] }
  const fields: ProductPatch = { ...rest, ...read }
  return { product: product_id === undefined ? fields : { ...fields, productId: product_id } }
}

function priced(
  text: string,
  { currency, price_amount }: Pick<ProductPatch, 'currency' | 'price_amount'>,
  usual: string,
): Pick<ProductPatch, 'currency' | 'price_amount'> | { readonly problem: string } {
  if (price_amount !== undefined) return { problem: 'there is also a price_amount' }
  const read = readPrice(text, currency ?? usual)
  if ('problem' in read) return read
  if (currency !== undefined && currency !== read.currency)
    return { problem: `"${text}" is not in ${currency.toUpperCase()}, the currency of the line` }
  const amount = productFields.price_amount.safeParse(read.amountMinor)
  if (!amount.success) return { problem: `"${text}" is too large` }
  return { price_amount: amount.data, currency: read.currency }
}
