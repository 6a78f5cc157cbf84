import { beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { getConversation, listConversations } from '#features/conversations/index.ts'
import { dayMs, minuteMs } from '#kernel/durations.ts'
import type { Database } from '#platform/db/database.ts'
import { storeMessages, storeSession, type MessageInput } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import {
  compareAll,
  deleteOutdated,
  deleteSession,
  eraseEndUser,
  finishDeletions,
  getAppAnalytics,
  rollUp,
} from './index.ts'
import { findDifference } from './usage-store.ts'

const half = 450

describeInstance('a conversation that is too long for a unit', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeEach(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Talkative' })
  })

  const place = () => ({ workspaceId: ada.workspaceId, agentId: agent.id })

  /** Half of it is counted already; it begins with more messages than a unit deletes. */
  async function converse(): Promise<string> {
    const { ctx } = instance
    const at = ctx.clock.now() - 60 * minuteMs
    const opening = many(250, (n) => ({ role: 'user', at, content: `Question ${n}` }))
    const answers = many(half - 250, (n) => ({ role: 'assistant', at: at + n, prompt_tokens: 3 }))
    const messages = [...opening, ...answers]
    const { id, messageIds } = await storeSession(ctx.db, { ...place(), endUser: 'ada', messages })
    const answer = messageIds.at(-1)!
    await call(id, answer, at)
    await rollUp(ctx)
    const now = ctx.clock.now()
    const late = await storeMessages(ctx.db, id, half, [
      ...many(half - 1, () => ({ role: 'user', at: now })),
      { role: 'assistant', at: now, citations_json: '[]' },
    ])
    // Not unanswered, because it called something.
    await call(id, late.at(-1)!, now)
    return id
  }

  function many(count: number, message: (n: number) => MessageInput): MessageInput[] {
    return Array.from({ length: count }, (_, n) => message(n))
  }

  async function call(sessionId: string, messageId: string, at: number): Promise<void> {
    const row = {
      id: `call of ${messageId}`,
      workspace_id: ada.workspaceId,
      agent_id: agent.id,
      session_id: sessionId,
      message_id: messageId,
      kind: 'action',
      source_id: null,
      source_updated_at: null,
      name: 'look_up',
      title: 'Look up',
      arguments_json: '{}',
      provider_json: null,
      status: 'done',
      deadline_at: null,
      http_status: 200,
      error_code: null,
      error: null,
      duration_ms: 1,
      response_excerpt: null,
      created_at: at,
      finished_at: at,
    }
    await instance.ctx.db.write((tx) => tx.insertInto('action_calls').values(row).execute())
  }

  async function figures() {
    const { clock } = instance.ctx
    const [from, to] = [clock.now() - 2 * dayMs, clock.now() + dayMs]
    const range = { from: dayOf(from), to: dayOf(to), granularity: 'day', timeZone: 'UTC' } as const
    const found = await getAppAnalytics(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      ...range,
    })
    return found.totals
  }

  function dayOf(at: number): string {
    return new Date(at).toISOString().slice(0, 10)
  }

  async function rows() {
    const counts: Record<string, number> = {}
    for (const table of [
      'chat_sessions',
      'chat_messages',
      'action_calls',
      'deleted_sessions',
    ] as const)
      counts[table] = (await instance.ctx.db.read.selectFrom(table).selectAll().execute()).length
    return counts
  }

  const nothing = { chat_sessions: 0, chat_messages: 0, action_calls: 0, deleted_sessions: 0 }

  /** Notes how many messages each unit deletes, and fails at some of them. */
  function watched(db: Database, killedAt = Number.POSITIVE_INFINITY) {
    const deleted: number[] = []
    let units = 0
    const watching: Database = {
      ...db,
      async write(unit) {
        units += 1
        if (units >= killedAt) throw new Error('killed')
        return await db.write(async (tx) => {
          const count = async () =>
            (await tx.selectFrom('chat_messages').select('id').execute()).length
          const before = await count()
          const result = await unit(tx)
          deleted.push(before - (await count()))
          return result
        })
      },
    }
    return { db: watching, deleted }
  }

  async function expectExact(before: Awaited<ReturnType<typeof figures>>): Promise<void> {
    const { ctx } = instance
    expect(await figures()).toEqual(before)
    const questions = await ctx.db.read
      .selectFrom('analytics_questions')
      .select('conversations')
      .execute()
    expect(questions.filter((row) => Number(row.conversations) !== 0)).toEqual([])
    await rollUp(ctx)
    expect(await figures()).toEqual(before)
    const difference = await findDifference(ctx.db.read, ada.workspaceId)
    expect(Object.values(difference ?? {}).map(Number)).toEqual([0, 0, 0])
  }

  const ways: Record<string, (db: Database, id: string) => Promise<unknown>> = {
    'by its id': (db, id) => deleteSession(db, place(), id),
    'for an end user': (db) => {
      const user = { appId: agent.id, endUser: 'ada' }
      return eraseEndUser({ ...instance.ctx, db }, actorOf(ada), ada.workspaceId, user)
    },
    'by retention': async (db) => {
      const settings_json = JSON.stringify({ ...agent.settings, retention_days: 1 })
      const { ctx } = instance
      await ctx.db.write((tx) =>
        tx.updateTable('agents').set({ settings_json }).where('id', '=', agent.id).execute(),
      )
      instance.advance(3 * dayMs)
      await deleteOutdated({ ...ctx, db })
      instance.advance(-3 * dayMs)
    },
  }

  test.each(Object.keys(ways))(
    'is deleted %s in short units, and its figures stay',
    async (way) => {
      const id = await converse()
      const before = await figures()
      expect(before).toMatchObject({ messages: 2 * half, unanswered: 0, action_calls: 2 })
      const { db, deleted } = watched(instance.ctx.db)
      await ways[way]!(db, id)
      expect(Math.max(...deleted)).toBeLessThanOrEqual(200)
      expect(await rows()).toEqual(nothing)
      await expectExact(before)
    },
  )

  test('is gone for everybody after the first unit, and a job finishes when the process is killed', async () => {
    const { ctx } = instance
    const id = await converse()
    const before = await figures()
    const { db } = watched(ctx.db, 3)
    await expect(deleteSession(db, place(), id)).rejects.toThrow('killed')
    expect((await rows()).deleted_sessions).toBe(1)
    expect(await figures()).toEqual(before)
    const page = { limit: 10, cursor: undefined }
    const { items } = await listConversations(ctx, ada.workspaceId, agent.id, page)
    expect(items).toEqual([])
    const reading = getConversation(ctx, ada.workspaceId, id, page)
    await expect(reading).rejects.toMatchObject({ code: 'record_not_found' })
    // Its rows name no agent, so they cannot be compared with what is counted.
    await compareAll(ctx)
    await rollUp(ctx)
    await finishDeletions.run(ctx, {}, { id: '', attempt: 1, isLast: false, signal: never })
    expect(await rows()).toEqual(nothing)
    await expectExact(before)
  })
})

const never = new AbortController().signal
