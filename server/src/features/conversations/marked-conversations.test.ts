import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { filterConditions } from './filter-store.ts'

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
