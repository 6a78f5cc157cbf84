import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import {
  insertProducts,
  rowsAtOnce,
  updateProducts,
  updateSkus,
  type IndexedProduct,
} from './bulk-store.ts'
import type { ProductChange, ProductPlan } from './product-plan.ts'
import { rewordProducts, type Rewording } from './reword-products.ts'
import { termsOfProduct } from './search-terms.ts'
import type { ProductRow } from './store.ts'

/** A statement stores or compares about this many terms, so that on SQLite it takes a few milliseconds. */
const termsAtOnce = { sqlite: 400, postgres: 8_000 } as const

/** A step: stores all of a plan. */
export async function storePlan(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  plan: ProductPlan,
): Promise<void> {
  await storeChanges(tx, { engine }, plan.changed, rewordings({ engine }, plan.changed))
  for await (const part of indexInParts({ engine }, plan.created))
    await insertProducts(tx, engine, part)
}

/** A step: changes products that exist. */
export async function storeChanges(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  changes: readonly ProductChange[],
  rewordings: Iterable<Rewording> | AsyncIterable<Rewording>,
): Promise<void> {
  const fields = changes.map(({ after, setsStock }) => ({ row: after, setsStock }))
  await updateProducts(tx, engine, fields)
  const renumbered = changes.filter(({ before, after }) => before.sku !== after.sku)
  await updateSkus(
    tx,
    engine,
    renumbered.map(({ after: { id, sku } }) => ({ id, sku })),
  )
  for await (const rewording of rewordings) await rewordProducts(tx, engine, rewording)
}

/**
 * How the words of changed products change, found in slices of time. The words before and after bound
 * each part, because storing it looks at all of them.
 */
export async function* rewordings(
  { engine }: Pick<Database, 'engine'>,
  changes: readonly ProductChange[],
): AsyncGenerator<Rewording> {
  const reworded = changes.filter(({ before, after }) => isReworded(before, after))
  const most = rowsAtOnce[engine]
  const slice = new CpuSlice()
  let part = new Map<string, readonly string[]>()
  let count = 0
  const whole = () => ({
    agentId: reworded[0]?.after.agent_id ?? '',
    gained: Object.fromEntries(part),
  })
  for (const { before, after } of reworded) {
    if (slice.isOver) await slice.next()
    const had = new Set(termsOfProduct(before))
    const has = new Set(termsOfProduct(after))
    part.set(after.id, [...has.difference(had)])
    count += had.size + has.size
    if (part.size < most && count < termsAtOnce[engine]) continue
    yield whole()
    part = new Map()
    count = 0
  }
  if (part.size > 0) yield whole()
}

/** Finds the words of products, in slices of time. Each part can be stored by one statement. */
export async function* indexInParts(
  { engine }: Pick<Database, 'engine'>,
  rows: readonly ProductRow[],
): AsyncGenerator<IndexedProduct[]> {
  const most = rowsAtOnce[engine]
  const slice = new CpuSlice()
  let part: IndexedProduct[] = []
  let count = 0
  for (const row of rows) {
    if (slice.isOver) await slice.next()
    const terms = termsOfProduct(row)
    part.push({ row, terms })
    count += terms.length
    if (part.length < most && count < termsAtOnce[engine]) continue
    yield part
    part = []
    count = 0
  }
  if (part.length > 0) yield part
}

function isReworded(before: ProductRow, after: ProductRow): boolean {
  const searched = ['name', 'sku', 'categories_json', 'description'] as const
  return searched.some((field) => before[field] !== after[field])
}
