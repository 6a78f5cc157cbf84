import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent, updateAgent, type Agent } from '#features/agents/index.ts'
import { indexConversations, listConversations } from '#features/conversations/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { storeMessages, storeSession } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { deleteOutdated, eraseEndUser, getAppAnalytics, rateAnswer, rollUp } from './index.ts'
import { withoutPartitions } from '#test/support/databases/without-partitions.ts'

const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }

describeInstance('what an agent stored about an end user', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function talk(agent: Agent, endUser: string | null, at: number, content: string) {
    const { db } = instance.ctx
    const place = { workspaceId: ada.workspaceId, agentId: agent.id, endUser }
    const messages = [
      { role: 'user', at, content },
      { role: 'assistant', at: at + 1, prompt_tokens: 3, latency_ms: 40 },
    ] as const
    const { id, messageIds } = await storeSession(db, { ...place, messages })
    await rateAnswer(instance.ctx, ada, {
      sessionId: id,
      messageId: null,
      rating: 'up',
      comment: `${endUser ?? 'a visitor'} says thanks`,
    })
    const row = { workspace_id: ada.workspaceId, agent_id: agent.id, created_at: at }
    await db.write(async (tx) => {
      const entry = { ...row, id: messageIds[1]!, kind: 'turn', amount_micros: -5, counted_at: at }
      await tx
        .insertInto('credit_entries')
        .values({ ...entry, session_id: id, end_user: endUser })
        .execute()
      const call = {
        ...row,
        id: newId(),
        session_id: id,
        message_id: messageIds[1]!,
        kind: 'action',
      }
      const made = { name: 'look', title: '', status: 'done', finished_at: at }
      const args = { arguments_json: JSON.stringify({ user: endUser }) }
      await tx
        .insertInto('action_calls')
        .values({ ...call, ...made, ...args })
        .execute()
      const window = {
        workspace_id: ada.workspaceId,
        period: 'day',
        starts_at: at,
        ends_at: at + dayMs,
      }
      if (endUser !== null)
        await tx
          .insertInto('credit_windows')
          .values({
            ...window,
            id: newId(),
            subject: 'end_user',
            subject_id: endUser,
            limit_micros: 100,
            used_micros: 5,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
    })
    return id
  }

  /** Every table that holds a text somewhere, read from the engine's own description. */
  async function tablesWith(text: string): Promise<string[]> {
    const { db } = instance.ctx
    const { rows: columns } = await (
      db.engine === 'postgres'
        ? sql<{ table_name: string; column_name: string }>`
            select table_name, column_name from information_schema.columns
            where table_schema = current_schema()
              and ${withoutPartitions}
          `
        : sql<{ table_name: string; column_name: string }>`
            select t.name as table_name, c.name as column_name
            from pragma_table_list as t join pragma_table_info(t.name) as c
            where t.schema = 'main' and t.type in ('table', 'virtual')
          `
    ).execute(db.read)
    const found: string[] = []
    for (const [table, own] of Map.groupBy(columns, (column) => column.table_name)) {
      const held = own.map(
        ({ column_name: column }) => sql`cast(${sql.ref(column)} as text) like ${`%${text}%`}`,
      )
      const { rows } = await sql`
        select 1 from ${sql.table(table)} where ${sql.join(held, sql` or `)} limit 1
      `.execute(db.read)
      if (rows.length > 0) found.push(table)
    }
    return found.toSorted()
  }

  async function figures(agent: Agent) {
    const query = {
      appId: agent.id,
      from: '2025-12-01',
      to: '2026-12-31',
      granularity: 'month',
    } as const
    const { totals, series, topSources } = await getAppAnalytics(
      instance.ctx,
      ada.workspaceId,
      query,
    )
    return { totals, series, topSources }
  }

  test('is erased on request: no table holds any of it, and the figures stay', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Discreet' })
    const now = instance.ctx.clock.now()
    await talk(agent, 'visitor-zebra', now - 3 * dayMs, 'My name is zebra')
    await talk(agent, 'visitor-yak', now - 3 * dayMs, 'What does it cost?')
    await rollUp(instance.ctx)
    await indexConversations.run(instance.ctx, {}, run)
    await talk(agent, 'visitor-zebra', now, 'I am zebra again')
    expect(await tablesWith('zebra')).toEqual(
      expect.arrayContaining([
        'analytics_questions',
        'chat_messages',
        'chat_sessions',
        'credit_entries',
      ]),
    )
    const before = await figures(agent)
    const balance = await sumOfLedger()

    const user = { appId: agent.id, endUser: 'visitor-zebra' }
    const erased = await eraseEndUser(instance.ctx, actorOf(ada), ada.workspaceId, user)
    expect(erased).toEqual({
      agentId: agent.id,
      conversations: 2,
      messages: 4,
      ratings: 2,
      action_calls: 2,
      uploaded_files: 0,
      ledger_entries: 2,
      end_user_sha256: createHash('sha256').update('visitor-zebra').digest('hex'),
    })
    expect(await tablesWith('zebra')).toEqual([])
    expect(await figures(agent)).toEqual(before)
    expect(await sumOfLedger()).toBe(balance)
    await rollUp(instance.ctx)
    expect(await figures(agent)).toEqual(before)
    const left = await listConversations(instance.ctx, ada.workspaceId, agent.id, { limit: 10 })
    expect(left.items.map(({ endUser }) => endUser)).toEqual(['visitor-yak'])
  })

  test('is proved erased by the audit log, which does not name the user', async () => {
    const rows = await instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'erase_end_user')
      .orderBy('id')
      .execute()
    const endUserSha256 = createHash('sha256').update('visitor-zebra').digest('hex')
    expect(rows.map(({ user_id }) => user_id)).toEqual(rows.map(() => ada.userId))
    expect(JSON.parse(rows.at(-1)?.detail_json ?? '')).toEqual({
      conversations: 2,
      messages: 4,
      ratings: 2,
      action_calls: 2,
      uploaded_files: 0,
      ledger_entries: 2,
      end_user_sha256: endUserSha256,
    })
  })

  test('is erased even if the end user keeps chatting: what is said from then on stays', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Busy' })
    const { db, clock } = instance.ctx
    await talk(agent, 'visitor-emu', clock.now(), 'Hello')
    let chats = 0
    const busy: typeof db = {
      ...db,
      async write(unit) {
        chats += 1
        if (chats > 10) throw new Error('the erasure does not end')
        const result = await db.write(unit)
        await talk(agent, 'visitor-emu', clock.now() + chats, `Hello again, ${chats}`)
        return result
      },
    }
    const user = { appId: agent.id, endUser: 'visitor-emu' }
    const ctx = { ...instance.ctx, db: busy }
    const erased = await eraseEndUser(ctx, actorOf(ada), ada.workspaceId, user)
    expect(erased.conversations).toBe(1)
    const { items } = await listConversations(instance.ctx, ada.workspaceId, agent.id, {
      limit: 20,
    })
    expect(items).toHaveLength(chats)
  })

  async function sumOfLedger(): Promise<number> {
    const rows = await instance.ctx.db.read
      .selectFrom('credit_entries')
      .select('amount_micros')
      .execute()
    return rows.reduce((sum, { amount_micros }) => sum + amount_micros, 0)
  }

  test('stays with another agent, as do the counts of its caps', async () => {
    const [one, other] = [
      await createAgent(instance.ctx, ada, { name: 'One' }),
      await createAgent(instance.ctx, ada, { name: 'Other' }),
    ]
    const now = instance.ctx.clock.now()
    await talk(one, 'visitor-gnu', now, 'Hello one')
    await talk(other, 'visitor-gnu', now, 'Hello other')
    const user = { appId: one.id, endUser: 'visitor-gnu' }
    await eraseEndUser(instance.ctx, actorOf(ada), ada.workspaceId, user)
    expect(await tablesWith('visitor-gnu')).toEqual(
      expect.arrayContaining(['chat_sessions', 'credit_entries', 'credit_windows']),
    )
    const { items } = await listConversations(instance.ctx, ada.workspaceId, other.id, { limit: 9 })
    expect(items).toMatchObject([{ endUser: 'visitor-gnu' }])
  })

  test('is deleted after retention_days in whole conversations, and the figures stay', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Forgetful', retention_days: 30 })
    const keeps = await createAgent(instance.ctx, ada, { name: 'Elephant' })
    const now = instance.ctx.clock.now()
    await talk(agent, null, now - 31 * dayMs, 'An old walrus')
    await talk(agent, null, now - 29 * dayMs, 'A young walrus')
    await talk(keeps, null, now - 400 * dayMs, 'A kept walrus')
    const before = await figures(agent)
    await deleteOutdated(instance.ctx)
    await deleteOutdated(instance.ctx)
    expect(await figures(agent)).toEqual(before)
    const left = await listConversations(instance.ctx, ada.workspaceId, agent.id, { limit: 9 })
    expect(left.items.map(({ question }) => question)).toEqual(['A young walrus'])
    const kept = await listConversations(instance.ctx, ada.workspaceId, keeps.id, { limit: 9 })
    expect(kept.items).toHaveLength(1)
    const events = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['face', 'user_id', 'target', 'detail_json'])
      .where('action', '=', 'conversations.retention')
      .execute()
    expect(events).toMatchObject([{ face: 'job', user_id: null, target: agent.id }])
    expect(JSON.parse(events[0]?.detail_json ?? '')).toMatchObject({
      conversations: 1,
      action_calls: 1,
      days: 30,
    })
    const { version: expectedVersion } = agent
    await updateAgent(instance.ctx, ada, agent.id, { retention_days: null }, { expectedVersion })
    instance.advance(100 * dayMs)
    await deleteOutdated(instance.ctx)
    const after = await listConversations(instance.ctx, ada.workspaceId, agent.id, { limit: 9 })
    expect(after.items).toHaveLength(1)
  })

  test('stays if the conversation continues before it is deleted', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Patient', retention_days: 30 })
    const { db, clock } = instance.ctx
    const id = await talk(agent, null, clock.now() - 31 * dayMs, 'Are you still there?')
    let isFirst = true
    const slow: typeof db = {
      ...db,
      async write(unit) {
        if (isFirst) await storeMessages(db, id, 2, [{ role: 'user', at: clock.now() }])
        isFirst = false
        return await db.write(unit)
      },
    }
    await deleteOutdated({ ...instance.ctx, db: slow })
    expect(isFirst).toBe(false)
    const { items } = await listConversations(instance.ctx, ada.workspaceId, agent.id, { limit: 9 })
    expect(items.map((one) => one.id)).toEqual([id])
  })
})
