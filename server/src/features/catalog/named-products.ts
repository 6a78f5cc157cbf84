import { sql, type RawBuilder } from 'kysely'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Database, Reader } from '#platform/db/database.ts'
import { isAmong } from './among.ts'
import { everyColumn, inParts, type Column } from './bulk-store.ts'
import type { ProductRow, Shelf } from './store.ts'

type Engine = Database['engine']

/** The products that a list names. */
export interface ProductNames {
  readonly ids: readonly string[]
  readonly skus: readonly string[]
}

/** The live products with these ids or skus. */
export async function findNamedProducts(
  reader: Reader,
  engine: Engine,
  shelf: Shelf,
  names: ProductNames,
): Promise<ProductRow[]> {
  const rows = await findNamed<ProductRow>(reader, engine, shelf, names, everyColumn)
  return [...rows.values()]
}

/** The time of the last change of each of these products. */
export async function findNamedVersions(
  reader: Reader,
  engine: Engine,
  shelf: Shelf,
  names: ProductNames,
): Promise<ReadonlyMap<string, number>> {
  type Version = Pick<ProductRow, 'id' | 'updated_at'>
  const rows = await findNamed<Version>(reader, engine, shelf, names, ['id', 'updated_at'])
  return new Map([...rows].map(([id, row]) => [id, row.updated_at]))
}

async function findNamed<Row extends { readonly id: string }>(
  reader: Reader,
  engine: Engine,
  shelf: Shelf,
  { ids, skus }: ProductNames,
  selected: readonly (keyof Row & Column)[],
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>()
  const slice = new CpuSlice()
  const queries = [
    ...inParts(engine, ids).map((part) => namedBy<Row>(engine, shelf, selected, 'id', part)),
    ...inParts(engine, skus).map((part) => namedBy<Row>(engine, shelf, selected, 'sku', part)),
  ]
  for (const query of queries) {
    if (slice.isOver) await slice.next()
    for (const row of (await query.execute(reader)).rows) found.set(row.id, row)
  }
  return found
}

/**
 * PostgreSQL looks up each value in an index. For a list, it may choose to compare every product of the
 * agent with the whole list, and keep that plan while the catalogue grows.
 */
function namedBy<Row>(
  engine: Engine,
  { workspaceId, agentId }: Shelf,
  selected: readonly Column[],
  column: 'id' | 'sku',
  values: readonly string[],
): RawBuilder<Row> {
  const names = sql.join(selected.map((name) => sql.ref(name)))
  const live = sql`workspace_id = ${workspaceId} and agent_id = ${agentId} and deleted_at is null`
  if (engine === 'sqlite')
    return sql`select ${names} from products where ${live} and ${isAmong(engine, column, values)}`
  return sql`
    select ${names} from json_array_elements_text(${JSON.stringify(values)}::json) as wanted (value)
    cross join lateral (${atValue[column](agentId)}) as found
    where ${sql.ref(column)} = wanted.value and ${live}
  `
}

/**
 * The product with the wanted value, and perhaps others. PostgreSQL thinks that an agent of an unknown
 * table has one product, and would read all of them for each sku. It does not expect few products at or
 * after a sku, so it takes the first one from the index of skus.
 */
const atValue = {
  id: () => sql`select * from products where id = wanted.value offset 0`,
  sku: (agentId: string) => sql`
    select * from products where (agent_id, sku) >= (${agentId}, wanted.value) and deleted_at is null
    order by agent_id, sku limit 1`,
}
