import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { catalogFaults } from './catalog-faults.ts'
import { parseCsv, type CsvRecord } from './parse-csv.ts'
import { productFields, type ProductPatch } from './product-fields.ts'
import { putProduct, requireProductRoom, type UpsertProduct } from './upsert-product.ts'

const maxImported = 5000
const maxProblemsShown = 20

export interface ImportSummary {
  readonly created: number
  readonly updated: number
}

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

/**
 * Creates or updates a product for each line of a CSV text; either all of them or none.
 *
 * @throws Fault record_not_found, csv_invalid with what is wrong in which line
 */
export async function importProducts(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  workspaceId: string,
  appId: string,
  csv: string,
): Promise<ImportSummary> {
  const products = await readProducts(csv)
  return await ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const shelf = { workspaceId, agentId: agent.id }
    const now = ctx.clock.now()
    let created = 0
    for (const { line, product } of products) {
      const put = await putProduct(tx, now, shelf, product).catch((error: unknown) => {
        if (error instanceof Fault) throw invalid([`line ${line}: ${inWords(error)}`])
        throw error
      })
      if (put.isNew) created += 1
    }
    if (created > 0) await requireProductRoom(tx, ctx, agent.id)
    return { created, updated: products.length - created }
  })
}

interface ReadProduct {
  readonly line: number
  readonly product: UpsertProduct
}

/** Reads in slices of time and stops at the limit: a text may have a million lines. */
async function readProducts(csv: string): Promise<ReadProduct[]> {
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

/** Why a line cannot be stored, as an entry of the list of problems. */
function inWords(fault: Fault): string {
  if (isFault(fault, catalogFaults.product_field_missing))
    return `a new product needs ${fault.facts.field}`
  if (isFault(fault, catalogFaults.sku_taken))
    return `another product has the sku ${fault.facts.sku}`
  if (isFault(fault, commonFaults.record_not_found)) return 'product_id: there is no such product'
  return fault.code
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

function invalid(lines: readonly string[]): Fault {
  return new Fault(catalogFaults.csv_invalid, { lines })
}
