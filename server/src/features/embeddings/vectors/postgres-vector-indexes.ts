import { sql, type RawBuilder } from 'kysely'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'

/** Fewer vectors of a space are compared one by one. */
export const leastIndexed = 10_000

/**
 * The table is shared: each index makes adding a vector and planning a search slower for all tenants,
 * and a tenant's own provider chooses its dimensions. An instance rarely uses more than a few models.
 */
const mostIndexes = 4

/** pgvector indexes at most 2,000 numbers of 4 bytes, or 4,000 of two, which hold codes exactly. */
export function indexedType(dimensions: number): RawBuilder<unknown> | null {
  if (dimensions > 4000) return null
  return sql.raw(`${dimensions > 2000 ? 'halfvec' : 'vector'}(${dimensions})`)
}

const prefix = 'knowledge_vector_index_hnsw_'

/**
 * Creates an index (HNSW) for each number of dimensions that a large space has, up to `most`, and drops
 * the others. An index has the vectors of all spaces with these dimensions: one for each
 * space would be planned for by every search.
 *
 * @param atLeast vectors of a large space
 * @param most indexes
 */
export async function tendVectorIndexes(
  { db }: Pick<Context, 'db'>,
  atLeast = leastIndexed,
  most = mostIndexes,
): Promise<void> {
  if (db.engine !== 'postgres') return
  const present = await listIndexes(db.scan)
  const indexed = new Set(present.map(({ name }) => Number(name.slice(prefix.length))))
  const large = await listDimensions(db.scan, atLeast)
  const wanted = large.length <= most ? large : await chooseMost(db.scan, large, indexed, most)
  for (const { name, isValid } of present)
    if (!isValid || !wanted.some((dimensions) => name === `${prefix}${dimensions}`))
      await sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db.maintain)
  for (const dimensions of wanted) await createIndex(db.maintain, dimensions)
}

/** An index is not valid if its creation was interrupted. */
async function listIndexes(reader: Reader) {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    select c.relname as name, i.indisvalid as "isValid"
    from pg_index as i join pg_class as c on c.oid = i.indexrelid
    where i.indrelid = to_regclass('knowledge_vector_index') and starts_with(c.relname, ${prefix})
  `.execute(reader)
  return rows
}

async function listDimensions(reader: Reader, atLeast: number): Promise<number[]> {
  const { rows } = await sql<{ dimensions: number }>`
    select distinct dimensions from knowledge_vector_spaces as space
    where status <> 'retired' and exists (
      select 1 from knowledge_vectors where space_id = space.id
      order by chunk_id offset ${atLeast - 1} limit 1
    )
  `.execute(reader)
  return rows.map(({ dimensions }) => dimensions).filter((one) => indexedType(one) !== null)
}

/** Vectors with an index count twice, so that two similar numbers of vectors do not take turns. */
async function chooseMost(
  reader: Reader,
  large: readonly number[],
  indexed: ReadonlySet<number>,
  most: number,
): Promise<number[]> {
  const { rows } = await sql<{ dimensions: number; vectors: number }>`
    select space.dimensions, count(*) as vectors
    from knowledge_vector_spaces as space join knowledge_vectors as vector on vector.space_id = space.id
    where space.status <> 'retired' and space.dimensions in (${sql.join(large)})
    group by space.dimensions order by space.dimensions
  `.execute(reader)
  const weigh = (row: (typeof rows)[number]) => row.vectors * (indexed.has(row.dimensions) ? 2 : 1)
  return rows
    .toSorted((one, other) => weigh(other) - weigh(one))
    .slice(0, most)
    .map(({ dimensions }) => dimensions)
}

/** Concurrently, which cannot be part of a unit, so that vectors can be added meanwhile. */
async function createIndex(reader: Reader, dimensions: number): Promise<void> {
  const type = indexedType(dimensions)
  if (type === null) return
  const operators = sql.raw(dimensions > 2000 ? 'halfvec_cosine_ops' : 'vector_cosine_ops')
  await sql`
    create index concurrently if not exists ${sql.ref(`${prefix}${dimensions}`)}
    on knowledge_vector_index using hnsw ((embedding::${type}) ${operators})
    where vector_dims(embedding) = ${sql.lit(dimensions)}
  `.execute(reader)
}

/**
 * A condition that is always true and sets how an index is searched until the statement ends. The
 * server evaluates it before it begins to read rows. With an iterative scan (pgvector 0.8), the index
 * is read until enough vectors of the space are found.
 */
export function indexSettings(limit: number): RawBuilder<unknown> {
  // The setting has bounds of its own.
  const breadth = String(Math.min(1000, Math.max(200, 2 * limit)))
  return sql`(
    select count(set_config('hnsw.ef_search', ${breadth}, true)) + count(
      case when current_setting('hnsw.iterative_scan', true) is not null
        then set_config('hnsw.iterative_scan', 'relaxed_order', true) end
    )
  ) > 0`
}
