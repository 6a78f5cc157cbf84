import { sql, type RawBuilder } from 'kysely'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { isAmong } from './among.ts'
import type { ProductRow } from './store.ts'

type Engine = Database['engine']

/**
 * Rows of one statement. On SQLite they bound how long it holds the event loop; on PostgreSQL, which
 * works elsewhere, fewer statements need fewer round trips.
 */
export const rowsAtOnce = { sqlite: 100, postgres: 1_000 } as const

/** The columns of a product, with their types in JSON. */
const columns = {
  id: 'text',
  workspace_id: 'text',
  agent_id: 'text',
  name: 'text',
  description: 'text',
  sku: 'text',
  price_amount: 'bigint',
  currency: 'text',
  images_json: 'text',
  categories_json: 'text',
  stock: 'bigint',
  fulfillment_type: 'text',
  tax_code: 'text',
  active: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  deleted_at: 'bigint',
} as const satisfies Record<keyof ProductRow, 'text' | 'bigint'>
export type Column = keyof typeof columns
// The keys of an object literal are exactly its type's.
export const everyColumn = Object.keys(columns) as Column[]

/** What an upsert may change. The sku has a statement of its own: two products may swap theirs. */
const changeable = [
  'name',
  'description',
  'price_amount',
  'currency',
  'images_json',
  'categories_json',
  'fulfillment_type',
  'tax_code',
  'active',
  'updated_at',
] as const satisfies Column[]

/** A step: at most as many as a tile has. */
export async function insertProducts(
  tx: Tx,
  engine: Engine,
  rows: readonly ProductRow[],
): Promise<void> {
  const names = sql.join(everyColumn.map((name) => sql.ref(name)))
  await sql`insert into products (${names}) select ${names} from ${given(engine, columns, rows)}`.execute(
    tx,
  )
}

/** The products that each word finds, by their ids. */
export type ProductsOfWords = ReadonlyMap<string, readonly string[]>

/** A step: at most as many as a part of a tile has, of new products. */
export async function insertWords(
  tx: Tx,
  engine: Engine,
  agentId: string,
  words: ProductsOfWords,
): Promise<void> {
  // The word is a key: as an element beside its products, PostgreSQL would read it again, with the
  // whole list, for each of them.
  const list = JSON.stringify(Object.fromEntries(words))
  const pairs =
    engine === 'sqlite'
      ? sql`json_each(${list}) as word, json_each(word.value) as product`
      : sql`json_each(${list}::json) as word, json_array_elements_text(word.value) as product (value)`
  await sql`
    insert into product_terms (agent_id, term, product_id)
    select ${agentId}, word.key, product.value from ${pairs}
  `.execute(tx)
}

export interface FieldChange {
  readonly row: ProductRow
  readonly setsStock: boolean
}

/** A step: changes fields other than the sku. */
export async function updateProducts(
  tx: Tx,
  engine: Engine,
  changes: readonly FieldChange[],
): Promise<void> {
  const types = { ...columns, sets_stock: 'bigint' as const }
  const fields = changeable.map((name) => sql`${sql.ref(name)} = given.${sql.ref(name)}`)
  const slice = new CpuSlice()
  for (const part of inParts(engine, changes)) {
    if (slice.isOver) await slice.next()
    const rows = part.map(({ row, setsStock }) => ({ ...row, sets_stock: Number(setsStock) }))
    await sql`
      update products
      set ${sql.join(fields)},
        stock = case when given.sets_stock = 1 then given.stock else products.stock end
      from ${given(engine, types, rows)}
      where products.id = given.id
    `.execute(tx)
  }
}

/** A step: gives products new skus, which others of them may have had. */
export async function updateSkus(
  tx: Tx,
  engine: Engine,
  products: readonly Pick<ProductRow, 'id' | 'sku'>[],
): Promise<void> {
  for (const part of inParts(engine, products))
    await tx
      .updateTable('products')
      .set({ sku: null })
      .where(isAmong(engine, 'id', idsOf(part)))
      .execute()
  for (const part of inParts(engine, products))
    await sql`
      update products set sku = given.sku
      from ${given(engine, { id: 'text', sku: 'text' }, part)}
      where products.id = given.id
    `.execute(tx)
}

/** A step: shows products that were stored as deleted. */
export async function showProducts(
  tx: Tx,
  engine: Engine,
  products: readonly ProductRow[],
): Promise<void> {
  const slice = new CpuSlice()
  for (const part of inParts(engine, products)) {
    if (slice.isOver) await slice.next()
    await tx
      .updateTable('products')
      .set({ deleted_at: null })
      .where(isAmong(engine, 'id', idsOf(part)))
      .execute()
  }
}

/** A step: removes those that are not shown: a lost answer does not say whether they were. */
export async function removeProducts(
  tx: Tx,
  engine: Engine,
  ids: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('products')
    .where(isAmong(engine, 'id', ids))
    .where((e) => {
      const agent = e.selectFrom('agents').select('agents.id')
      const ofHidden = agent
        .whereRef('agents.id', '=', 'products.agent_id')
        .where('agents.deleted_at', 'is not', null)
      return e.or([e('deleted_at', 'is not', null), e.exists(ofHidden)])
    })
    .execute()
}

/** The words of products, by their ids. */
export type TermsOf = Readonly<Record<string, readonly string[]>>

/** A step: words that a product has already are left as they are. */
export async function insertTerms(
  tx: Tx,
  engine: Engine,
  agentId: string,
  terms: TermsOf,
): Promise<void> {
  await sql`
    insert into product_terms (agent_id, term, product_id)
    select ${agentId}, word.value, product.key from ${termPairs(engine, terms)} where true
    on conflict do nothing
  `.execute(tx)
}

/** The words of products as tables: `product.key` is an id, and `word.value` one of its words. */
export function termPairs(engine: Engine, terms: TermsOf): RawBuilder<unknown> {
  const words = JSON.stringify(terms)
  return engine === 'sqlite'
    ? sql`json_each(${words}) as product, json_each(product.value) as word`
    : sql`json_each(${words}::json) as product, json_array_elements_text(product.value) as word (value)`
}

/** Rows of a statement as a table `given`. */
function given<Name extends string>(
  engine: Engine,
  types: Readonly<Record<Name, 'text' | 'bigint'>>,
  rows: readonly Readonly<Record<Name, string | number | null>>[],
): RawBuilder<unknown> {
  const list = JSON.stringify(rows)
  // The keys of `types` are its names.
  const names = Object.keys(types) as Name[]
  if (engine === 'sqlite') {
    const values = names.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
    return sql`(select ${sql.join(values)} from json_each(${list})) as given`
  }
  const typed = names.map((name) => sql`${sql.ref(name)} ${sql.raw(types[name])}`)
  return sql`json_to_recordset(${list}::json) as given (${sql.join(typed)})`
}

function idsOf(products: readonly Pick<ProductRow, 'id'>[]): string[] {
  return products.map(({ id }) => id)
}

/** Items in parts of at most `rowsAtOnce`. */
export function inParts<Item>(engine: Engine, items: readonly Item[]): Item[][] {
  const size = rowsAtOnce[engine]
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )
}
