import { expect } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { until } from '#test/support/until.ts'

/** The number of stored chunks, of finished documents and of those that are being read. */
export async function countChunks({ read }: Database): Promise<number> {
  const query = read.selectFrom('knowledge_chunks').select((e) => e.fn.countAll().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Waits until the only source is read completely. */
export async function untilRead({ read }: Database): Promise<void> {
  const query = read.selectFrom('knowledge_sources').select('status')
  await until('the source is read', async () => {
    const { status } = await query.executeTakeFirstOrThrow()
    return status !== 'processing' && status !== 'queued'
  })
}

/** The chunks of a document in order. Checks that none is missing or repeated. */
export async function textsOf({ read }: Database, documentId: string): Promise<string[]> {
  const chunks = await read
    .selectFrom('knowledge_chunks')
    .select(['ordinal', 'text'])
    .where('document_id', '=', documentId)
    .orderBy('ordinal')
    .execute()
  expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, n) => n))
  return chunks.map(({ text }) => text)
}

/** The number of chunks that the full-text index finds by a term. */
export async function countIndexed({ read }: Database, term: string): Promise<number> {
  const { count } = await read
    .selectFrom('knowledge_entries as entry')
    .innerJoin('knowledge_segments as segment', 'segment.id', 'entry.segment_id')
    .select((e) => e.fn.sum('entry.chunk_count').as('count'))
    .where('entry.term', '=', term)
    .where('segment.status', '=', 'live')
    .executeTakeFirstOrThrow()
  return Number(count)
}
