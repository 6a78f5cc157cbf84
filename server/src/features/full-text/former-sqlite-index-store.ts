import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { bestOfScored } from './chunk-store.ts'
import {
  headingWeight,
  type IndexedChunk,
  type ScoredChunk,
  type TermsQuery,
} from './index-store.ts'
import { weightOfRepeated } from './rank-segments.ts'
import { alwaysCounted, commonPart, type FormerIndex, type RankQuery } from './former-index.ts'

/** FTS5. A term is stored as `<collection>:<term>`, so a search reads only its agent's entries. */
export const sqliteIndex: FormerIndex = { add, removeChunks, findKnown, rank }

async function add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void> {
  const rows = chunks.map(({ id, headingTerms, bodyTerms }) => [
    id,
    prefixed(collectionId, headingTerms).join(' '),
    prefixed(collectionId, bodyTerms).join(' '),
  ])
  await sql`
    insert into knowledge_index (rowid, heading_terms, body_terms)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})
  `.execute(tx)
  await mergeSome(tx)
}

/** About as many pages as a batch adds at each level of the index: a millisecond of work. */
const pagesMerged = 16

/**
 * Every unit that adds to the index also merges a little of it. FTS5's own occasional merges are
 * large and delay chats, so migration 0010 turned them off.
 */
async function mergeSome(tx: Tx): Promise<void> {
  await sql`
    insert into knowledge_index (knowledge_index, rank) values ('merge', ${pagesMerged})
  `.execute(tx)
}

async function removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void> {
  await sql`
    delete from knowledge_index
    where rowid in (select value from json_each(${JSON.stringify(chunkIds)}))
  `.execute(tx)
}

async function findKnown(
  reader: Reader,
  { collection: { id: collectionId }, terms }: TermsQuery,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ term: string }>`
    select wanted.value as term
    from json_each(${JSON.stringify(prefixed(collectionId, [...terms.keys()]))}) as wanted
    where exists (select 1 from knowledge_terms as known where known.term = wanted.value)
  `.execute(reader)
  const [prefix = ''] = prefixed(collectionId, [''])
  return new Set(rows.map(({ term }) => term.slice(prefix.length)))
}

/**
 * FTS5 scores one term at a time. `bm25()` uses the inverse document frequency over the rows of all
 * agents, so `weight` divides it out (it is never below 1e-6) and multiplies by the agent's own. Only
 * the average length still depends on other agents.
 */
async function rank(reader: Reader, query: RankQuery): Promise<ScoredChunk[]> {
  const { collection } = query
  const terms = [...query.terms].map(([term, count]) => [
    ...prefixed(collection.id, [term]),
    weightOfRepeated(count),
  ])
  const total = collection.chunk_count
  const common = Math.max(alwaysCounted, total * commonPart)
  const everIndexed = await countRowsEverIndexed(reader)
  const { rows } = await sql<ScoredChunk>`
    with held as materialized (
      select known.term, known.doc as chunks, wanted.value ->> 1 as repeated
      from json_each(${JSON.stringify(terms)}) as wanted
      join knowledge_terms as known on known.term = wanted.value ->> 0
    ),
    weights as materialized (
      select
        term,
        repeated * ln(1 + (max(${total} - chunks, 0) + 0.5) / (chunks + 0.5))
          / max(1e-6, ln((${everIndexed} - chunks + 0.5) / (chunks + 0.5))) as weight
      from held
      where chunks <= ${common} or chunks = (select min(chunks) from held)
    ),
    hits as materialized (
      select rowid as chunk_id, -weight * bm25(knowledge_index, ${headingWeight}, 1) as score
      from weights cross join knowledge_index
      where knowledge_index match '"' || term || '"'
    ),
    scored as (
      select chunk_id, sum(score) as score from hits group by chunk_id
    ),
    ${bestOfScored(query)}
  `.execute(reader)
  return rows
}

/**
 * The number of rows that FTS5 calculates with. Deleting from a contentless table does not lower it,
 * so only FTS5 knows it: the first big-endian varint in its record of averages.
 */
async function countRowsEverIndexed(reader: Reader): Promise<number> {
  const { rows } = await sql<{ block: Uint8Array }>`
    select block from knowledge_index_data where id = 1
  `.execute(reader)
  let count = 0
  for (const byte of rows[0]?.block ?? []) {
    count = count * 128 + (byte & 0x7f)
    if (byte < 0x80) break
  }
  return count
}

function prefixed(collectionId: number, terms: readonly string[]): string[] {
  return terms.map((term) => `${collectionId}:${term}`)
}
