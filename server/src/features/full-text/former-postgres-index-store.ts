import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { bestOfScored } from './chunk-store.ts'
import {
  b,
  headingWeight,
  k1,
  type IndexedChunk,
  type ScoredChunk,
  type TermsQuery,
} from './index-store.ts'
import { weightOfRepeated } from './rank-segments.ts'
import { alwaysCounted, commonPart, type FormerIndex, type RankQuery } from './former-index.ts'

/** Postings in arrays, one row per term of a batch. One statement computes BM25. */
export const postgresIndex: FormerIndex = {
  add,
  removeChunks,
  findKnown,
  rank,
}

interface Posting {
  readonly term: string
  readonly chunk_ids: number[]
  /** Occurrences, those in headings counted `headingWeight` times, as FTS5 does. */
  readonly frequencies: number[]
  readonly lengths: number[]
}

async function add(tx: Tx, collectionId: number, chunks: readonly IndexedChunk[]): Promise<void> {
  const [first] = chunks
  if (first === undefined) return
  await sql`
    insert into knowledge_postings
      (collection_id, term, batch_id, chunk_ids, frequencies, lengths)
    select ${collectionId}::bigint, term, ${first.id}::bigint, chunk_ids, frequencies, lengths
    from json_to_recordset(${JSON.stringify(postingsOf(chunks))}::json)
      as posting (term text, chunk_ids bigint[], frequencies integer[], lengths integer[])
  `.execute(tx)
}

function postingsOf(chunks: readonly IndexedChunk[]): Posting[] {
  const postings = new Map<string, Posting>()
  for (const { id, headingTerms, bodyTerms } of chunks) {
    const length = headingTerms.length + bodyTerms.length
    for (const [term, frequency] of frequenciesOf(headingTerms, bodyTerms)) {
      const posting = postings.get(term) ?? { term, chunk_ids: [], frequencies: [], lengths: [] }
      posting.chunk_ids.push(id)
      posting.frequencies.push(frequency)
      posting.lengths.push(length)
      postings.set(term, posting)
    }
  }
  return [...postings.values()]
}

function frequenciesOf(heading: readonly string[], body: readonly string[]): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const term of heading) frequencies.set(term, (frequencies.get(term) ?? 0) + headingWeight)
  for (const term of body) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  return frequencies
}

/** A batch is removed as a whole with its first chunk, so its later chunks must be added again too. */
async function removeChunks(tx: Tx, chunkIds: readonly number[]): Promise<void> {
  await sql`
    delete from knowledge_postings
    where batch_id in (
      select value::bigint from json_array_elements_text(${JSON.stringify(chunkIds)}::json)
    )
  `.execute(tx)
}

async function findKnown(
  reader: Reader,
  { collection: { id: collectionId }, terms }: TermsQuery,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ term: string }>`
    select wanted.term
    from json_array_elements_text(${JSON.stringify([...terms.keys()])}::json) as wanted (term)
    where exists (
      select 1 from knowledge_postings as known
      where known.collection_id = ${collectionId} and known.term = wanted.term
    )
  `.execute(reader)
  return new Set(rows.map(({ term }) => term))
}

async function rank(reader: Reader, query: RankQuery): Promise<ScoredChunk[]> {
  const { collection } = query
  const total = collection.chunk_count
  const averageLength = Math.max(1, collection.term_count / Math.max(1, total))
  const common = Math.max(alwaysCounted, total * commonPart)
  const terms = [...query.terms].map(([term, count]) => ({
    term,
    repeated: weightOfRepeated(count),
  }))
  const { rows } = await sql<ScoredChunk>`
    with wanted as materialized (
      select term, repeated
      from json_to_recordset(${JSON.stringify(terms)}::json)
        as wanted (term text, repeated double precision)
    ),
    posting as materialized (
      select term, chunk_ids, frequencies, lengths
      from knowledge_postings
      where collection_id = ${collection.id}
        and term = any (array(select term from wanted))
    ),
    held as materialized (
      select term, sum(cardinality(chunk_ids))::double precision as chunks
      from posting group by term
    ),
    weights as materialized (
      select
        term,
        repeated * ln(1 + (greatest(${total} - chunks, 0) + 0.5) / (chunks + 0.5)) as weight
      from held
      join wanted using (term)
      where chunks <= ${common} or chunks = (select min(chunks) from held)
    ),
    scored as materialized (
      select
        chunk_id,
        sum(weight * frequency * ${k1 + 1}::double precision
          / (frequency + ${k1}::double precision
            * (${1 - b}::double precision
              + ${b / averageLength}::double precision * length))) as score
      from posting
      join weights using (term)
      cross join lateral unnest(chunk_ids, frequencies, lengths)
        as chunk (chunk_id, frequency, length)
      group by chunk_id
    ),
    ${bestOfScored(query)}
  `.execute(reader)
  return rows
}
