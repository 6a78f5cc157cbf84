import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import type { Tx } from '#platform/db/database.ts'
import { storeMessages, storeSession } from '#test/support/chat/chat-history.ts'
import { dropDatabase, makeDatabase } from '#test/support/databases/engines.ts'
import { defineOnInstances } from '#test/support/test-instance.ts'
import { indexSettled } from './index-conversations.ts'
import { listConversations } from './list-conversations.ts'
import { isCommon } from './search-index-store.ts'
import { numbersOf } from './term-numbers.ts'

// SQLite has an index without texts.
describe.runIf(inject('engines').includes('postgres'))('the search index of PostgreSQL', () => {
  const source = { make: () => makeDatabase('postgres'), drop: dropDatabase }
  defineOnInstances(source, (open) => {
    test('stores numbers, and finds rows that the version before stored as texts', async () => {
      const { ctx, person } = await open()
      const ada = await person()
      const agent = await createAgent(ctx, ada, { name: 'Talker' })
      const at = Date.parse('2026-01-01T12:00:00Z')
      const talk = async (content: string) =>
        await storeSession(ctx.db, {
          workspaceId: ada.workspaceId,
          agentId: agent.id,
          messages: [{ role: 'user', at, content }],
        })
      const { id: older } = await talk('A zeppelin, please')
      const { id: newer } = await talk('Two zeppelins, please')
      await indexSettled(ctx)
      const { rows } = await sql<{ terms: unknown; hashes: number[] }>`
        select terms, hashes from conversation_terms`.execute(ctx.db.read)
      expect(rows).toHaveLength(2)
      for (const { terms, hashes } of rows) {
        expect(terms).toBeNull()
        expect(hashes.length).toBeGreaterThan(1)
      }
      const { number } = await ctx.db.read
        .selectFrom('agents')
        .select('number')
        .where('id', '=', agent.id)
        .executeTakeFirstOrThrow()
      const texts = `{${number}:zeppelin,${number}:balloon}`
      await ctx.db.write((tx) =>
        sql`update conversation_terms set hashes = null, terms = ${texts}::text[]
          where session_id = ${older}`.execute(tx),
      )
      const found = async (query: string) => {
        const page = await listConversations(ctx, ada.workspaceId, agent.id, { limit: 9, query })
        return page.items.map(({ id }) => id).toSorted()
      }
      expect(await found('zeppelin')).toEqual([older, newer].toSorted())
      expect(await found('balloon')).toEqual([older])
      expect(await found('parrot')).toEqual([])
    })

    test.each([1, 2, 3, 4, 1_023, 1_024, 5_000_000, 2 ** 29 - 1, 2 ** 29, 2 ** 45])(
      'finds a conversation whose row has the number %d, with few rows beside it',
      async (rowId) => {
        const { ctx, person } = await open()
        const ada = await person()
        const agent = await createAgent(ctx, ada, { name: 'Talker' })
        const content = 'A zeppelin, please'
        const at = Date.parse('2026-01-01T12:00:00Z')
        const { id } = await storeSession(ctx.db, {
          workspaceId: ada.workspaceId,
          agentId: agent.id,
          messages: [{ role: 'user', at, content }],
        })
        await indexSettled(ctx)
        await ctx.db.write((tx) =>
          sql`with old as (delete from conversation_terms returning session_id, hashes)
            insert into conversation_terms (id, session_id, hashes) overriding system value
            select ${rowId}::bigint, session_id, hashes from old`.execute(tx),
        )
        for (const query of ['zeppelin', 'zepp', 'please zeppelins']) {
          const { items } = await listConversations(ctx, ada.workspaceId, agent.id, {
            limit: 9,
            query,
          })
          expect(
            items.map((item) => item.id),
            query,
          ).toEqual([id])
        }
        const { rows } = await sql<{ buckets: number; terms: number }>`
          select cardinality(conversation_shares(id, hashes)) as buckets,
            cardinality(hashes) as terms from conversation_terms`.execute(ctx.db.read)
        expect(rows[0]?.buckets).toBe(rows[0]?.terms)
      },
    )

    test('finds conversations by the index of migration 63 where that was not replaced', async () => {
      const { ctx } = await open()
      const rare = { agentNumber: 1, term: 'zeppelin', start: null }
      await ctx.db.write(async (tx) => {
        await sql`create index conversation_terms_by_bucket on conversation_terms
          using gin (conversation_buckets(id, hashes)) where hashes is not null`.execute(tx)
        await sql`drop index conversation_terms_by_share`.execute(tx)
        await sql`insert into conversation_terms (session_id, hashes)
          select 'session ' || n, array[n, ${sql.lit(numbersOf(rare)[0])}]
          from generate_series(1, 3) as n`.execute(tx)
        const { rows } = await sql`
          select * from conversations_with_any(${`{${numbersOf(rare).join(',')}}`}, '{}', null)`.execute(
          tx,
        )
        expect(rows).toHaveLength(3)
        const { rows: none } = await sql`
          select * from conversations_with_any('{1000}', '{}', null)`.execute(tx)
        expect(none).toEqual([])
      })
    })

    test('a row of a conversation that continues has only its new words', async () => {
      const { ctx, person, advance } = await open()
      const ada = await person()
      const agent = await createAgent(ctx, ada, { name: 'Talker' })
      const said = (content: string) => [{ role: 'user', at: ctx.clock.now(), content }] as const
      const { id } = await storeSession(ctx.db, {
        workspaceId: ada.workspaceId,
        agentId: agent.id,
        messages: said('A zeppelin, please'),
      })
      for (const [after, content] of ['That zeppelin in green', 'The green zeppelin'].entries()) {
        advance(3 * 60_000)
        await indexSettled(ctx)
        await storeMessages(ctx.db, id, after + 1, said(content))
      }
      advance(3 * 60_000)
      await indexSettled(ctx)
      const { rows } = await sql<{ hashes: number[] }>`
        select hashes from conversation_terms order by id`.execute(ctx.db.read)
      expect(rows).toHaveLength(2)
      const all = rows.flatMap(({ hashes }) => hashes)
      expect(new Set(all).size).toBe(all.length)
      for (const query of ['zeppelin', 'green', 'green zeppelin please']) {
        const page = await listConversations(ctx, ada.workspaceId, agent.id, { limit: 9, query })
        expect(page.items, query).toHaveLength(1)
      }
    })

    test('knows a common word from the newest rows', async () => {
      const { ctx } = await open()
      const common = { agentNumber: 1, term: 'order', start: null }
      await ctx.db.write(async (tx) => {
        await sql`insert into conversation_terms (session_id, hashes)
          select 'session ' || n, ${`{${numbersOf(common).join(',')}}`}::integer[]
          from generate_series(1, 10100) as n`.execute(tx)
        await sql`analyze conversation_terms`.execute(tx)
        expect(await isCommon(tx, 'postgres', common)).toBe(true)
        expect(await rowsRead(tx)).toBeLessThan(600)
      })
    })

    test('reads few rows for a rare word beside many other words', async () => {
      const { ctx } = await open()
      await ctx.db.write(async (tx) => {
        await sql`insert into conversation_terms (session_id, hashes)
          select 'session ' || n, (
            select array_agg((random() * 4e9 - 2e9)::bigint::integer) from generate_series(1, 100 + n % 2)
          ) from generate_series(1, 5000) as n`.execute(tx)
        await sql`analyze conversation_terms`.execute(tx)
        const rare = { agentNumber: 1, term: 'zeppelin', start: null }
        expect(await isCommon(tx, 'postgres', rare)).toBe(false)
        // The sample, and up to 100 of each of 13 generations.
        const read = await rowsRead(tx)
        expect(read).toBeGreaterThan(520)
        expect(read).toBeLessThan(1_900)
      })
    })
  })
})

async function rowsRead(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'conversation_terms'`.execute(tx)
  return rows[0]?.read
}
