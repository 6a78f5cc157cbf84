import { z } from 'zod'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import { catalogFaults } from './catalog-faults.ts'
import { parseCsv, type CsvRecord } from './parse-csv.ts'
import { productFields, type ProductPatch } from './product-fields.ts'
import type { UpsertProduct } from './product-plan.ts'

const maxImported = 5000
const maxProblemsShown = 20

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

/** The columns of the header line; an empty cell leaves a field as it is. */
const columns = z.strictObject({
  product_id: z.guid().toLowerCase().optional(),
  name: productFields.name.optional(),
  description: productFields.description.optional(),
  sku: productFields.sku.unwrap().optional(),
  price_amount: cellInteger.pipe(productFields.price_amount).optional(),
  currency: productFields.currency.optional(),
  images: cellList.pipe(productFields.images).optional(),
  categories: cellList.pipe(productFields.categories).optional(),
  stock: cellInteger.pipe(productFields.stock.unwrap()).optional(),
  fulfillment_type: productFields.fulfillment_type.optional(),
  tax_code: productFields.tax_code.unwrap().optional(),
  active: cellFlag.optional(),
})

export interface ReadProduct {
  readonly line: number
  readonly product: UpsertProduct
}

/**
 * The products of a CSV text, one per line below its header. Reads in slices of time and stops at the
 * limit: a text may have a million lines.
 *
 * @throws Fault csv_invalid with what is wrong in which line
 */
export async function readProducts(csv: string): Promise<ReadProduct[]> {
  const slice = new CpuSlice()
  const products: ReadProduct[] = []
  const problems: string[] = []
  let names: readonly string[] | null = null
  let count = 0
  for (const record of recordsOf(csv)) {
    if (slice.isOver) await slice.next()
    if (names === null) {
      names = readHeader(record)
      continue
    }
    count += 1
    if (count > maxImported)
      throw invalid([`there are more than ${maxImported} products; import them in parts`])
    const read = readRecord(names, record)
    if ('product' in read) products.push(read)
    else problems.push(...read.problems)
    if (problems.length >= maxProblemsShown) break
  }
  if (count === 0) throw invalid(['line 1: there is no product below the header'])
  if (problems.length > 0) throw invalid(problems.slice(0, maxProblemsShown))
  return products
}

function readHeader({ fields }: CsvRecord): readonly string[] {
  const names = fields.map((name) => name.trim().toLowerCase())
  // Spreadsheets add empty columns at the end of lines.
  const unknown = names.filter((name) => name !== '' && !Object.hasOwn(columns.shape, name))
  if (unknown.length > 0) throw invalid([`line 1: no such column: ${unknown.join(', ')}`])
  return names
}

function readRecord(
  names: readonly string[],
  { line, fields }: CsvRecord,
): ReadProduct | { readonly problems: readonly string[] } {
  if (fields.some((cell, column) => cell !== '' && (names[column] ?? '') === '')) {
    const problem = 'there are more cells than columns; a cell with a comma is quoted'
    return { problems: [`line ${line}: ${problem}`] }
  }
  const cells = Object.fromEntries(
    names.map((name, column) => [name, fields[column] ?? '']).filter(([, cell]) => cell !== ''),
  )
  const parsed = columns.safeParse(cells)
  if (parsed.success) return { line, product: toProduct(parsed.data) }
  const inLine = parsed.error.issues.slice(0, maxProblemsShown)
  return {
    problems: inLine.map((issue) => `line ${line}: ${issue.path.join('.')}: ${issue.message}`),
  }
}

function* recordsOf(csv: string): Generator<CsvRecord> {
  try {
    yield* parseCsv(csv)
  } catch (error) {
    throw invalid([error instanceof Error ? error.message : String(error)])
  }
}

function toProduct({ product_id, ...patch }: z.output<typeof columns>): UpsertProduct {
  const fields: ProductPatch = patch
  return product_id === undefined ? fields : { ...fields, productId: product_id }
}

export function invalid(lines: readonly string[]): Fault {
  return new Fault(catalogFaults.csv_invalid, { lines })
}
