import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat-history.ts'
import { dropDatabase, makeDatabase } from '#test/support/engines.ts'
import { defineOnInstances } from '#test/support/test-instance.ts'
import { indexSettled } from './index-conversations.ts'
import { listConversations } from './list-conversations.ts'

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
  })
})
