import { sql, type Insertable, type RawBuilder, type SqlBool } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { RankQuery } from './former-index.ts'

export type NewChunkRow = Insertable<Schema['knowledge_chunks']>

/** @returns the new ids, in the order of the rows */
export async function insertChunks(tx: Tx, rows: readonly NewChunkRow[]): Promise<number[]> {
  const idOf = new Map<number, number>()
  for (const slice of slicesOf(rows)) {
    const given = await tx
      .insertInto('knowledge_chunks')
      .values([...slice])
      .returning(['id', 'ordinal'])
      .execute()
    for (const { id, ordinal } of given) idOf.set(ordinal, id)
  }
  return rows.map(({ ordinal }) => {
    const id = idOf.get(ordinal)
    if (id === undefined) throw new Error('The database returned no id for a chunk')
    return id
  })
}

/**
 * Slices of power-of-two lengths: one statement for every number of rows would evict the others
 * from the engines' statement caches.
 */
function slicesOf<Row>(rows: readonly Row[]): Row[][] {
  const slices: Row[][] = []
  for (let at = 0, length = 64; at < rows.length; at += length) {
    while (length > rows.length - at) length /= 2
    slices.push(rows.slice(at, at + length))
  }
  return slices
}

export function listChunkTexts(reader: Reader, documentId: string) {
  return reader
    .selectFrom('knowledge_chunks')
    .select(['heading', 'text'])
    .where('document_id', '=', documentId)
    .orderBy('ordinal')
    .execute()
}

/** Chunks of a document after this ordinal, in order. */
export function listChunksOfDocument(
  reader: Reader,
  documentId: string,
  after: number,
  limit: number,
) {
  return reader
    .selectFrom('knowledge_chunks')
    .select(['id', 'ordinal', 'heading', 'page', 'text'])
    .where('document_id', '=', documentId)
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(limit)
    .execute()
}

/**
 * A chunk of a ready document of the source that begins and ends with these texts. Reads all chunks of
 * the source.
 */
export function findChunkByEnds(
  reader: Reader,
  sourceId: string,
  { start, end }: { readonly start: string; readonly end: string },
) {
  // Both engines count code points.
  const [startLength, endLength] = [[...start].length, [...end].length]
  return reader
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
    .select(['chunk.document_id as documentId', 'chunk.ordinal'])
    .where('chunk.source_id', '=', sourceId)
    .where('document.status', '=', 'ready')
    .where(sql<string>`substr(chunk.text, 1, ${sql.lit(startLength)})`, '=', start)
    .where(
      sql<string>`substr(chunk.text, length(chunk.text) - ${sql.lit(endLength - 1)})`,
      '=',
      end,
    )
    .orderBy('chunk.id')
    .limit(1)
    .executeTakeFirst()
}

/** The newest chunk of all agents; 0 where there is none. */
export async function lastChunkId(reader: Reader): Promise<number> {
  const row = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? 0
}

/** The first chunks of a source or a document, in the order of their ids. */
export async function listChunkIds(
  reader: Reader,
  of: 'source_id' | 'document_id',
  id: string,
  limit: number,
): Promise<number[]> {
  const rows = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .where(of, '=', id)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteChunksById(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('knowledge_chunks').where('id', 'in', ids).execute()
}

/** The number of stored chunks of a document, and the totals of their tokens and terms. */
export async function sumChunks(reader: Reader, documentId: string) {
  const sums = await reader
    .selectFrom('knowledge_chunks')
    .select((e) => [
      e.fn.countAll<number>().as('chunks'),
      e.fn.sum<number | null>('token_count').as('tokens'),
      e.fn.sum<number | null>('term_count').as('terms'),
    ])
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow()
  return { chunks: sums.chunks, tokens: Number(sums.tokens), terms: Number(sums.terms) }
}

/** The chunks of the list that still exist. */
export async function findChunkIds(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * One text for lists of any length, so that it is prepared once and runs in one round trip. SQLite reads
 * the tables of a cross join in their order: without statistics it would begin with all documents.
 */
function isAmong(engine: Engine, chunkIds: readonly number[]): RawBuilder<SqlBool> {
  const list = JSON.stringify(chunkIds)
  return engine === 'sqlite'
    ? sql`chunk.id in (select value from json_each(${list}))`
    : sql`chunk.id = any (array(select json_array_elements_text(${list}::json)::bigint))`
}

/** Chunks with the fields of their citations, in no order. Deleted chunks are missing. */
export function findPassages(reader: Reader, engine: Engine, chunkIds: readonly number[]) {
  return reader
    .selectFrom('knowledge_chunks as chunk')
    .crossJoin('knowledge_sources as source')
    .crossJoin('knowledge_documents as document')
    .where(isAmong(engine, chunkIds))
    .whereRef('source.id', '=', 'chunk.source_id')
    .whereRef('document.id', '=', 'chunk.document_id')
    .select(['chunk.id', 'chunk.source_id', 'chunk.page', 'chunk.heading', 'chunk.text'])
    .select((e) => [
      e.fn.coalesce('document.title', 'source.title').as('title'),
      e.fn.coalesce('document.url', 'source.url').as('url'),
    ])
    .execute()
}

/** With whether only the former index has a ready document of the agent, and whether it has answers. */
export function findCollection(reader: Reader, agentId: string) {
  return reader
    .selectFrom('knowledge_collections as collection')
    .selectAll()
    .select((e) =>
      e
        .exists(
          e
            .selectFrom('knowledge_documents as document')
            .select('document.id')
            .whereRef('document.agent_id', '=', 'collection.agent_id')
            .where('document.analysis_version', 'is', null)
            // A literal, so that both engines use the partial index.
            .where('document.status', '=', sql.lit('ready')),
        )
        .as('needs_former'),
    )
    .select((e) =>
      e
        .exists(
          e
            .selectFrom('knowledge_sources as source')
            .select('source.id')
            .whereRef('source.agent_id', '=', 'collection.agent_id')
            .where('source.is_answer', '=', sql.lit(1)),
        )
        .as('has_answers'),
    )
    .where('collection.agent_id', '=', agentId)
    .executeTakeFirst()
}

export type Collection = NonNullable<Awaited<ReturnType<typeof findCollection>>>

/** The sources of those chunks whose documents searches may find. */
export async function readySources(
  reader: Reader,
  engine: Engine,
  chunkIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await reader
    .selectFrom('knowledge_chunks as chunk')
    .crossJoin('knowledge_documents as document')
    .select(['chunk.id', 'chunk.source_id', 'document.status'])
    .where(isAmong(engine, chunkIds))
    .whereRef('document.id', '=', 'chunk.document_id')
    .execute()
  const ready = rows.filter(({ status }) => status === 'ready')
  return new Map(ready.map((row) => [row.id, row.source_id]))
}

/** The agent's collection, created if it has none. */
export async function takeCollection(tx: Tx, agentId: string): Promise<Collection> {
  const found = await findCollection(tx, agentId)
  if (found !== undefined) return found
  const row = await tx
    .insertInto('knowledge_collections')
    .values({ agent_id: agentId, chunk_count: 0, term_count: 0 })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...row, needs_former: false, has_answers: false }
}

/** Adds to the counts of a collection. Negative numbers subtract. */
export async function growCollection(
  tx: Tx,
  agentId: string,
  by: { readonly chunks: number; readonly terms: number },
): Promise<void> {
  await tx
    .updateTable('knowledge_collections')
    .set((e) => ({
      chunk_count: e('chunk_count', '+', by.chunks),
      term_count: e('term_count', '+', by.terms),
    }))
    .where('agent_id', '=', agentId)
    .execute()
}

/**
 * The end of a ranking statement whose table expression `scored` has `chunk_id` and `score`: the best
 * chunks of ready documents. Each scored chunk of an agent with unfinished documents is looked up,
 * because scored chunks are few, while a list of all unfinished chunks grows with the document.
 */
export function bestOfScored({ collection, limit }: RankQuery): RawBuilder<unknown> {
  return sql`
    best as materialized (
      select chunk_id, score
      from scored
      where not exists (
        select 1 from knowledge_documents
        where agent_id = ${collection.agent_id} and status <> 'ready'
      )
      or 'ready' = (
        select document.status
        from knowledge_chunks as chunk
        join knowledge_documents as document on document.id = chunk.document_id
        where chunk.id = scored.chunk_id
      )
      order by score desc, chunk_id
      limit ${limit}
    )
    select chunk.id as "chunkId", chunk.source_id as "sourceId", best.score as "score"
    from best join knowledge_chunks as chunk on chunk.id = best.chunk_id
    order by best.score desc, best.chunk_id
  `
}
