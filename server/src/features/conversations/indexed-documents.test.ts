import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { addDocuments, removeDocuments } from './indexed-document-store.ts'

const documentOf = (n: number) => ({
  sessionId: `session-${n}`,
  agentNumber: 1,
  terms: ['every', `only${n}`],
  opening: [],
})

async function countPieces({ read }: Pick<Database, 'read'>): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct segid) as count from conversation_index_idx
  `.execute(read)
  return rows[0]?.count
}

describeInstance('documents of the search index of conversations', (open) => {
  test('of one unit become one piece of the index, under the ids of their conversations', async ({
    skip,
  }) => {
    const { db } = (await open()).ctx
    skip(db.engine !== 'sqlite', 'PostgreSQL has a row for each conversation')
    const documents = Array.from({ length: 40 }, (_, n) => documentOf(n))
    await db.write((tx) => addDocuments(tx, db, documents))
    expect(await countPieces(db)).toBe(1)
    const found = await sql<{ id: string }>`
      select document.session_id as id from conversation_index
      join conversation_documents as document on document.id = conversation_index.rowid
      where conversation_index match '"1:only7"'
    `.execute(db.read)
    expect(found.rows).toEqual([{ id: 'session-7' }])
  })

  test('that are long become pieces of their own', async ({ skip }) => {
    const { db } = (await open()).ctx
    skip(db.engine !== 'sqlite', 'PostgreSQL has a row for each conversation')
    const terms = Array.from({ length: 5_000 }, (_, n) => `a-long-term-with-number-${n}`)
    const documents = [1, 2, 3].map((n) => ({ ...documentOf(n), terms }))
    await db.write((tx) => addDocuments(tx, db, documents))
    expect(await countPieces(db)).toBe(3)
  })

  test('never get the id of one that was removed', async ({ skip }) => {
    const { db } = (await open()).ctx
    skip(db.engine !== 'sqlite', 'PostgreSQL removes the terms with their row')
    const ids = () =>
      db.read.selectFrom('conversation_documents').select(['id', 'session_id']).execute()
    await db.write((tx) => addDocuments(tx, db, [documentOf(1), documentOf(2)]))
    const [, removed] = await ids()
    await db.write(async (tx) => {
      await removeDocuments(tx, db.engine, ['session-2'])
      await addDocuments(tx, db, [documentOf(3)])
    })
    const after = await ids()
    expect(after.map(({ session_id }) => session_id)).toEqual(['session-1', 'session-3'])
    expect(after[1]?.id).toBeGreaterThan(removed?.id ?? Number.NaN)
  })
})
