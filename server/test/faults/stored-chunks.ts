import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { until } from '#test/support/until.ts'

/** How many chunks are stored, of documents that are found and of those that are being read. */
export async function countChunks({ read }: Database): Promise<number> {
  const query = read.selectFrom('knowledge_chunks').select((e) => e.fn.countAll().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Waits until nothing of the one source that there is remains to be read. */
export async function untilRead({ read }: Database): Promise<void> {
  const query = read.selectFrom('knowledge_sources').select('status')
  await until('the source is read', async () => {
    const { status } = await query.executeTakeFirstOrThrow()
    return status !== 'processing' && status !== 'queued'
  })
}

/** The texts of a document in their order, none missing and none twice. */
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

/** How many chunks the full-text index has; on PostgreSQL, of those with a term. */
export async function countIndexed({ engine, read }: Database, term: string): Promise<number> {
  const query =
    engine === 'sqlite'
      ? sql<{ count: number }>`select count(*) as count from knowledge_index`
      : sql<{ count: number }>`
          select sum(cardinality(chunk_ids)) as count from knowledge_postings where term = ${term}`
  const { rows } = await query.execute(read)
  return Number(rows[0]?.count)
}
