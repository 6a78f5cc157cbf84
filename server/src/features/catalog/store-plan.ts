import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import {
  insertProducts,
  insertWords,
  rowsAtOnce,
  updateProducts,
  updateSkus,
  type ProductsOfWords,
} from './bulk-store.ts'
import type { ProductChange, ProductPlan } from './product-plan.ts'
import { rewordProducts, type Rewording } from './reword-products.ts'
import { termsOfProduct } from './search-terms.ts'
import type { ProductRow } from './store.ts'

/** A statement stores or compares about this many terms, so that on SQLite it takes a few milliseconds. */
const termsAtOnce = { sqlite: 400, postgres: 8_000 } as const

/**
 * Products whose words are stored together, word by word: rows of one word are neighbours in the
 * index by word, and rows of one product in the index by product. With 300 words each, 60 products
 * change the fewest pages of both indexes in a unit.
 */
const tileRows = { sqlite: 60, postgres: rowsAtOnce.postgres } as const
const tileTerms = { sqlite: 24_000, postgres: termsAtOnce.postgres } as const
/** On PostgreSQL, all words of a tile are one statement. */
const partTerms = { sqlite: termsAtOnce.sqlite, postgres: Infinity } as const
const removableTerms = 3_000

/** A step: stores all of a plan. */
export async function storePlan(
  tx: Tx,
  { engine }: Pick<Database, 'engine'>,
  plan: ProductPlan,
): Promise<void> {
  await storeChanges(tx, { engine }, plan.changed, rewordings({ engine }, plan.changed))
  for await (const { rows, words } of inTiles({ engine }, plan.created)) {
    await insertProducts(tx, engine, rows)
    for (const part of words) await insertWords(tx, engine, plan.shelf.agentId, part)
  }
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

/** New products whose words are stored together. */
export interface ProductTile {
  readonly rows: readonly ProductRow[]
  /** Their words, in at least one part; a statement can store each. */
  readonly words: readonly ProductsOfWords[]
  /** Their ids, in parts of about as many words as a short unit can remove. */
  readonly removable: readonly string[][]
}

/** Finds the words of new products, in slices of time. */
export async function* inTiles(
  { engine }: Pick<Database, 'engine'>,
  products: readonly ProductRow[],
): AsyncGenerator<ProductTile> {
  const slice = new CpuSlice()
  let tile = new Tile(partTerms[engine])
  for (const row of products) {
    if (slice.isOver) await slice.next()
    tile.add(row)
    if (tile.rows.length < tileRows[engine] && tile.count < tileTerms[engine]) continue
    yield tile
    tile = new Tile(partTerms[engine])
  }
  if (tile.rows.length > 0) yield tile
}

class Tile implements ProductTile {
  readonly rows: ProductRow[] = []
  readonly removable: string[][] = []
  /** Pairs of a word and a product. */
  count = 0
  readonly #termsAtOnce: number
  readonly #idsOf = new Map<string, string[]>()
  #removableTo = 0

  constructor(most: number) {
    this.#termsAtOnce = most
  }

  add(row: ProductRow): void {
    if (this.count >= this.#removableTo) {
      this.removable.push([])
      this.#removableTo = this.count + removableTerms
    }
    this.rows.push(row)
    this.removable.at(-1)?.push(row.id)
    for (const term of termsOfProduct(row)) {
      this.count += 1
      const ids = this.#idsOf.get(term)
      if (ids === undefined) this.#idsOf.set(term, [row.id])
      else ids.push(row.id)
    }
  }

  get words(): ProductsOfWords[] {
    let part = new Map<string, string[]>()
    const parts = [part]
    let count = 0
    for (const [word, ids] of this.#idsOf) {
      if (count >= this.#termsAtOnce) {
        parts.push((part = new Map()))
        count = 0
      }
      part.set(word, ids)
      count += ids.length
    }
    return parts
  }
}

function isReworded(before: ProductRow, after: ProductRow): boolean {
  const searched = ['name', 'sku', 'categories_json', 'description'] as const
  return searched.some((field) => before[field] !== after[field])
}
