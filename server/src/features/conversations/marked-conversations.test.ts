import { sql } from 'kysely'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { dropDatabase, makeDatabase } from '#test/support/databases/engines.ts'
import {
  defineOnInstances,
  describeInstance,
  type TestInstance,
} from '#test/support/test-instance.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { filterConditions } from './filter-store.ts'
import { listConversationRows } from './reading-store.ts'

describeInstance('lists of conversations with a rare mark', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  test.for<ConversationFilter>([
    { hasError: true },
    { rating: 'up' },
    { rating: 'down', unanswered: false },
    { rating: 'down', model: 'openai/gpt-5' },
  ])('read only the conversations that have one: %j', async (filter) => {
    const { db } = instance.ctx
    const conditions = filterConditions(db.engine, filter, [], null)
    const isPostgres = db.engine === 'postgres'
    const plan = await db.write(async (tx) => {
      // Of a small table, PostgreSQL would read everything.
      if (isPostgres) await sql`set local enable_seqscan = off`.execute(tx)
      const { rows } = await sql`
        ${isPostgres ? sql`explain` : sql`explain query plan`}
        select id from chat_sessions where agent_id = ${newId()} and ${sql.join(conditions, sql` and `)}
        order by created_at desc, id desc limit 51
      `.execute(tx)
      return JSON.stringify(rows)
    })
    expect(plan).toContain('chat_sessions_marked')
  })
})

// SQLite reads all entries of an agent in one index.
describe.runIf(inject('engines').includes('postgres'))('a list on PostgreSQL', () => {
  const source = { make: () => makeDatabase('postgres'), drop: dropDatabase }
  defineOnInstances(source, (open) => {
    test.for<ConversationFilter>([
      {},
      { source: 'kiosk' },
      { source: 'kiosk', hasError: false },
      { minMessages: 64 },
      { minMessages: 70 },
    ])('reads few rows if few or all conversations match: %j', async (filter) => {
      const { ctx, person } = await open()
      const { workspaceId, userId } = await person()
      const agent = await createAgent(ctx, { workspaceId, userId }, { name: 'Busy' })
      const conditions = filterConditions('postgres', filter, [], null)
      await ctx.db.write(async (tx) => {
        await sql`insert into chat_sessions (id, workspace_id, agent_id, agent_version, source,
            created_at, last_message_at, message_count, lease_until)
          select 'session ' || n, ${workspaceId}, ${agent.id}, 1,
            case when n % 2000 = 7 then 'kiosk' else 'api' end, n, n,
            case when n % 2000 = 7 then 80 else 10 end, 0
          from generate_series(1, 10000) as n`.execute(tx)
        await addOthers(tx)
        await sql`analyze chat_sessions`.execute(tx)
        const page = { limit: 51, before: undefined, conditions }
        const rows = await listConversationRows(tx, { workspaceId, agentId: agent.id }, page)
        expect(rows).toHaveLength(Object.keys(filter).length === 0 ? 51 : 5)
        expect(rows[0]?.created_at).toBe(Object.keys(filter).length === 0 ? 10_000 : 8_007)
        expect(await rowsRead(tx)).toBeLessThan(200)
      })
    })
  })
})

/** Ten agents with as many conversations together. */
async function addOthers(tx: Tx): Promise<void> {
  await sql`insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, created_at,
      last_message_at, message_count, lease_until)
    select 'other session ' || n, '', '00000000-0000-7000-8000-00000000000' || n % 10, 1, 'api', n, n, 10, 0
    from generate_series(1, 10000) as n`.execute(tx)
}

async function rowsRead(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'chat_sessions'`.execute(tx)
  return rows[0]?.read
}
