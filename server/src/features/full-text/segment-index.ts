import { sql } from 'kysely'
import { SizedCache } from '#kernel/sized-cache.ts'
import type { Database, Engine, Reader } from '#platform/db/database.ts'
import { readySources, type Collection } from './chunk-store.ts'
import { formerIndexes } from './former-indexes.ts'
import type { ScoredChunk, TermSearch, TermsQuery } from './index-store.ts'
import { countHolders, rankSegments, type RankedSegments } from './rank-segments.ts'
import type { Entry, LoadedSegment, StoredChunks } from './segment.ts'

interface SearchedQuery extends TermsQuery {
  readonly collection: Collection
}

/** Searches the index that has all of an agent's ready documents. */
export async function searchTerms(
  { engine }: Pick<Database, 'engine'>,
  reader: Reader,
  query: SearchedQuery,
): Promise<TermSearch> {
  const { collection, terms } = query
  if (collection.needs_former) {
    const index = formerIndexes[engine]
    const found = await index.findKnown(reader, query)
    const known = new Map([...found].map((term) => [term, 1]))
    return { known, rank: (limit) => index.rank(reader, { ...query, limit }) }
  }
  const segments = await loadSegments(reader, engine, collection.agent_id, [...terms.keys()])
  const holders = countHolders(segments)
  return {
    known: holders,
    rank: (limit) => rank(reader, engine, { segments, terms, holders }, limit),
  }
}

/** The same rows and the same code on both engines, so the same ranking. */
async function rank(
  reader: Reader,
  engine: Engine,
  of: RankedSegments,
  limit: number,
): Promise<ScoredChunk[]> {
  for (let depth = limit; ; depth *= 2) {
    const ranked = await rankSegments(of, depth)
    // A document may have been deleted since the segments were read.
    const sources = await readySources(
      reader,
      engine,
      ranked.map(({ chunkId }) => chunkId),
    )
    const found = ranked.flatMap(({ chunkId, score }) => {
      const sourceId = sources.get(chunkId)
      return sourceId === undefined ? [] : [{ chunkId, sourceId, score }]
    })
    if (found.length >= limit || ranked.length < depth) return found.slice(0, limit)
  }
}

interface Part {
  readonly kind: 'segment' | 'removed' | 'entry'
  readonly segmentId: number
  /** The segment's name, or a term. */
  readonly name: string
  /** The first number of a removed run. */
  readonly first: number
  readonly count: number
  readonly bytes: Uint8Array | null
}

/** How often a search begins again because a merge deleted a segment while it read. */
const maxAttempts = 5

/** The live segments of an agent, in no order, with the entries of these terms. */
async function loadSegments(
  reader: Reader,
  engine: Engine,
  agentId: string,
  terms: readonly string[],
): Promise<LoadedSegment[]> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const parts = await readParts(reader, engine, agentId, terms)
    const segments = await withChunks(reader, parts)
    if (segments !== null) return segments
  }
  throw new Error('The segments of an agent changed during each attempt to read them')
}

/** One statement, so that all parts are of one moment. */
async function readParts(
  reader: Reader,
  engine: Engine,
  agentId: string,
  terms: readonly string[],
): Promise<Part[]> {
  const list = JSON.stringify(terms)
  const isWanted =
    engine === 'sqlite'
      ? sql`entry.term in (select value from json_each(${list}))`
      : sql`entry.term = any (array(select json_array_elements_text(${list}::json)))`
  const { rows } = await sql<Part>`
    with segment as materialized (
      select id, name, chunk_count from knowledge_segments
      where agent_id = ${agentId} and status = 'live'
    )
    select
      'entry' as kind, segment_id as "segmentId", term as name, 0 as first,
      entry.chunk_count as count, postings as bytes
    from segment cross join knowledge_entries as entry
    where entry.segment_id = segment.id and ${isWanted}
    union all
    select 'segment', id, name, 0, chunk_count, null from segment
    union all
    select 'removed', run.segment_id, '', first_number, run.chunk_count, null
    from segment cross join knowledge_runs as run
    where run.segment_id = segment.id and run.is_removed = 1
  `.execute(reader)
  return rows
}

/** Null when a segment was deleted since the parts were read. */
async function withChunks(reader: Reader, parts: readonly Part[]): Promise<LoadedSegment[] | null> {
  const segments = parts.filter(({ kind }) => kind === 'segment')
  const missing = segments.filter(({ name }) => !cache.has(name))
  const fetched = await readChunks(reader, missing)
  const bySegment = Map.groupBy(parts, ({ segmentId }) => segmentId)
  const loaded: LoadedSegment[] = []
  for (const { segmentId, name } of segments) {
    const chunks = fetched.get(name) ?? cache.get(name)
    if (chunks === undefined) return null
    const own = bySegment.get(segmentId) ?? []
    loaded.push({ ...chunks, removed: removedOf(chunks, own), entries: entriesOf(own) })
  }
  return loaded
}

async function readChunks(
  reader: Reader,
  missing: readonly Part[],
): Promise<ReadonlyMap<string, StoredChunks>> {
  if (missing.length === 0) return new Map()
  const ids = missing.map(({ segmentId }) => segmentId)
  const rows = await reader
    .selectFrom('knowledge_segments')
    .select(['name', 'chunk_ids', 'lengths'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ name, chunk_ids, lengths }) => {
      const chunks = chunksFromBytes(chunk_ids, lengths)
      cache.set(name, chunks)
      return [name, chunks]
    }),
  )
}

function removedOf({ ids }: StoredChunks, parts: readonly Part[]): Uint8Array | null {
  const runs = parts.filter(({ kind }) => kind === 'removed')
  if (runs.length === 0) return null
  const removed = new Uint8Array(ids.length)
  for (const { first, count } of runs) removed.fill(1, first, first + count)
  return removed
}

function entriesOf(parts: readonly Part[]): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const { kind, name: term, count, bytes } of parts)
    if (kind === 'entry' && bytes !== null) entries.set(term, { term, count, postings: bytes })
  return entries
}

export function chunksFromBytes(ids: Uint8Array, lengths: Uint8Array): StoredChunks {
  // Copies, because the driver's bytes may begin at any address.
  const list = new Uint16Array(new Uint8Array(lengths).buffer)
  return {
    ids: new Uint32Array(new Uint8Array(ids).buffer),
    lengths: list,
    termCount: list.reduce((sum, length) => sum + length, 0),
  }
}

/**
 * The chunk ids and lengths of segments by their name, because every search of an agent needs them all.
 * Up to 8 MB: the chunks of agents that know 1.3 million together.
 */
const cache = new SizedCache<string, StoredChunks>({
  maxBytes: 8 * 1024 * 1024,
  bytesOf: ({ ids, lengths }) => ids.byteLength + lengths.byteLength,
})
