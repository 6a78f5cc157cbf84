import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { indexSettled } from './index-conversations.ts'
import { containsTerm, type SearchedTerm } from './search-index-store.ts'

describeInstance('conversations with a word that many contain', (open) => {
  let instance: TestInstance
  let agentNumber: number
  const ids = new Map<string, string>()
  beforeAll(async () => {
    instance = await open()
    const { ctx } = instance
    const ada = await instance.person()
    const agent = await createAgent(ctx, ada, { name: 'Talker' })
    const row = ctx.db.read.selectFrom('agents').select('number').where('id', '=', agent.id)
    agentNumber = (await row.executeTakeFirstOrThrow()).number
    const at = ctx.clock.now() - 1000
    for (const content of ['An address', 'The addresses', 'An addressee', 'A zeppelin', 'Added']) {
      const messages = [{ role: 'user', at, content } as const]
      const place = { workspaceId: ada.workspaceId, agentId: agent.id }
      ids.set(content, (await storeSession(ctx.db, { ...place, messages })).id)
    }
    instance.advance(5 * 60_000)
    await indexSettled(ctx)
  })

  const listing = (searched: SearchedTerm) => sql<{ id: string }>`
    select id from chat_sessions where ${containsTerm(instance.ctx.db.engine, searched)}`

  test.each([
    ['a whole word', 'zeppelin', null, ['A zeppelin']],
    [
      'a whole word that is a beginning',
      'address',
      'address',
      ['An address', 'An addressee', 'The addresses'],
    ],
    ['a beginning', 'addr', 'addr', ['An address', 'An addressee', 'The addresses']],
    ['no word', 'parrot', 'parrot', []],
  ])('are the same as of a rare one: %s', async (_, term, start, expected) => {
    const wanted = expected.map((content) => ids.get(content)).toSorted()
    for (const isCommon of [true, false]) {
      const searched = { agentNumber, term, start, recentSessionIds: [], isCommon }
      const { rows } = await listing(searched).execute(instance.ctx.db.read)
      expect(rows.map(({ id }) => id).toSorted(), String(isCommon)).toEqual(wanted)
    }
    const [recent = ''] = [...ids.values()]
    const searched = { agentNumber, term: 'parrot', start: null, recentSessionIds: [recent] }
    const { rows } = await listing({ ...searched, isCommon: true }).execute(instance.ctx.db.read)
    expect(rows).toEqual([{ id: recent }])
  })

  test('are found with one list of the words that begin like it, not one for each', async ({
    skip,
  }) => {
    const { db } = instance.ctx
    skip(db.engine !== 'sqlite', 'PostgreSQL compares the numbers in the row')
    const begun = { agentNumber, term: 'address', start: 'addres', recentSessionIds: [] }
    const { rows } = await sql<{ id: number; parent: number; detail: string }>`
      explain query plan ${listing({ ...begun, isCommon: true })}`.execute(db.read)
    const parents = new Map(rows.map(({ id, parent, detail }) => [id, { parent, detail }]))
    const indexed = rows.filter(({ detail }) => detail.startsWith('SCAN conversation_index'))
    const under = indexed.map(({ parent }) => parents.get(parent)?.detail)
    // The first looks for the whole word in one document, by its number.
    expect(under).toEqual([
      expect.stringContaining('CORRELATED SCALAR SUBQUERY'),
      expect.stringMatching(/^LIST SUBQUERY/),
    ])
    expect(indexed[0]?.detail).toMatch(/VIRTUAL TABLE INDEX \d+:=/)
  })
})
