import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import {
  insertProducts,
  rewordProducts,
  rowsAtOnce,
  updateProducts,
  updateSkus,
  type IndexedProduct,
  type Rewording,
} from './bulk-store.ts'
import type { ProductChange, ProductPlan } from './product-plan.ts'
import { searchTerms } from './search-terms.ts'
import type { ProductRow } from './store.ts'

/** A statement stores at most the terms of so many products with this many terms each. */
const termsPerRow = 8

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

/** How the words of changed products change, found in slices of time. */
export async function* rewordings(
  { engine }: Pick<Database, 'engine'>,
  changes: readonly ProductChange[],
): AsyncGenerator<Rewording> {
  const reworded = changes.filter(({ before, after }) => textOf(before) !== textOf(after))
  const former = new Map(reworded.map(({ before }) => [before.id, before]))
  const slice = new CpuSlice()
  for await (const part of indexInParts(
    { engine },
    reworded.map(({ after }) => after),
  )) {
    const removed = new Set<string>()
    const had = new Map<string, ReadonlySet<string>>()
    for (const { row, terms } of part) {
      if (slice.isOver) await slice.next()
      const before = new Set(searchTerms(textOf(former.get(row.id) ?? row)))
      had.set(row.id, before)
      for (const term of before.difference(new Set(terms))) removed.add(term)
    }
    const added = part.map(({ row: { id }, terms }): [string, string[]] => [
      id,
      terms.filter((term) => removed.has(term) || had.get(id)?.has(term) !== true),
    ])
    yield {
      agentId: part[0]?.row.agent_id ?? '',
      ids: part.map(({ row }) => row.id),
      removed: [...removed],
      added: Object.fromEntries(added),
    }
  }
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
    const terms = searchTerms(textOf(row))
    part.push({ row, terms })
    count += terms.length
    if (part.length < most && count < most * termsPerRow) continue
    yield part
    part = []
    count = 0
  }
  if (part.length > 0) yield part
}

/** What a search finds a product by. */
function textOf({ name, sku, categories_json, description }: ProductRow): string {
  return [name, sku, categories_json, description].join(' ')
}
