import { beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { listLimits } from '#features/quotas/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { compareAll, eraseEndUser, getAppAnalytics, rollUp } from './index.ts'
import { findDifference } from './usage-store.ts'

const none = { messages: 0, bytes: 0, users: 0 }

describeInstance('what a workspace’s conversations hold', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  // A database of its own each time: rows are counted in the order of their time.
  beforeEach(async () => {
    instance = await open({ LIMITS: 'counted_users_per_workspace=12' })
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Counted' })
  })

  async function talk(endUser: string, at: number, content = 'Hi') {
    const place = { workspaceId: ada.workspaceId, agentId: agent.id, endUser }
    const citations_json = JSON.stringify([{ source_id: newId() }])
    const messages = [
      { role: 'user', at, content, parts_json: '["é"]' },
      { role: 'assistant', at: at + 1, content: 'Yes', citations_json },
    ] as const
    await storeSession(instance.ctx.db, { ...place, messages })
    // The parts take six bytes, because é takes two; the answer takes three.
    return content.length + 6 + 3 + citations_json.length
  }

  async function usage() {
    const page = { limit: 100 }
    const { items } = await listLimits(instance.ctx, ada, page)
    const used = (name: string) => items.find(({ limit }) => limit === name)?.used
    return {
      messages: used('messages_per_workspace'),
      bytes: used('message_bytes_per_workspace'),
      users: used('counted_users_per_workspace'),
    }
  }

  async function differences() {
    const found = await findDifference(instance.ctx.db.read, ada.workspaceId)
    const { messages, bytes, users } = found ?? none
    return { messages: Number(messages), bytes: Number(bytes), users: Number(users) }
  }

  test('is counted exactly, also when conversations are deleted before or after they are counted', async () => {
    const now = instance.ctx.clock.now()
    const ofFirst = await talk('first', now - 3 * dayMs)
    await talk('second', now - 2 * dayMs, 'Something longer')
    await rollUp(instance.ctx)
    await talk('second', now)
    expect(await usage()).toMatchObject({ messages: 4, users: 6 })
    await eraseEndUser(instance.ctx, actorOf(ada), ada.workspaceId, {
      appId: agent.id,
      endUser: 'second',
    })
    // The end user of the new conversation is counted as it is deleted: in three spans.
    expect(await usage()).toEqual({ messages: 2, bytes: ofFirst, users: 9 })
    expect(await differences()).toEqual(none)
    instance.advance(10 * 60_000)
    await rollUp(instance.ctx)
    expect(await differences()).toEqual(none)
  })

  test('includes calls that have ended, also those that the user declined', async () => {
    const { db, clock } = instance.ctx
    const now = clock.now()
    const place = { workspaceId: ada.workspaceId, agentId: agent.id, endUser: 'caller' }
    const messages = [{ role: 'assistant', at: now - dayMs, content: 'Yes' }] as const
    const { id, messageIds } = await storeSession(db, { ...place, messages })
    const call = (status: string, finished_at: number | null) => ({
      id: newId(),
      workspace_id: ada.workspaceId,
      agent_id: agent.id,
      session_id: id,
      message_id: messageIds[0] ?? '',
      kind: 'action',
      source_id: null,
      source_updated_at: null,
      name: 'look',
      title: 'Look',
      arguments_json: '{"city":"Malmö"}',
      provider_json: '{"a":1}',
      status,
      deadline_at: null,
      http_status: null,
      error_code: null,
      error: 'No.',
      duration_ms: null,
      response_excerpt: 'ok',
      created_at: now - dayMs,
      finished_at,
    })
    const ended = [call('done', now - dayMs), call('declined', now - dayMs), call('done', now)]
    const calls = [...ended, call('running', null)]
    await db.write((tx) => tx.insertInto('action_calls').values(calls).execute())
    await rollUp(instance.ctx)
    const ofCall = Buffer.byteLength('{"city":"Malmö"}{"a":1}No.ok')
    expect(await usage()).toMatchObject({ messages: 1, bytes: 3 + 2 * ofCall })
    expect(await differences()).toEqual(none)
    const figures = await getAppAnalytics(instance.ctx, ada.workspaceId, { appId: agent.id })
    expect(figures.totals).toMatchObject({ action_calls: 2 })
    await eraseEndUser(instance.ctx, actorOf(ada), ada.workspaceId, {
      appId: agent.id,
      endUser: 'caller',
    })
    expect(await usage()).toMatchObject({ messages: 0, bytes: 0 })
    expect(await differences()).toEqual(none)
  })

  test('is compared with the rows: after an upgrade, each week, and after the purge of an agent', async () => {
    const { db, clock } = instance.ctx
    await talk('first', clock.now() - dayMs)
    await rollUp(instance.ctx)
    const right = await usage()
    const spoil = () =>
      db.write((tx) =>
        tx
          .updateTable('workspace_usage')
          .set({ messages: 70, message_bytes: -3, analytics_users: 0 })
          .where('workspace_id', '=', ada.workspaceId)
          .execute(),
      )
    await spoil()
    await compareAll(instance.ctx)
    expect(await usage()).toEqual(right)
    await spoil()
    await compareAll(instance.ctx)
    expect((await usage()).messages).toBe(70)
    instance.advance(8 * dayMs)
    await compareAll(instance.ctx)
    expect(await usage()).toEqual(right)
    await spoil()
    await db.write((tx) =>
      tx.updateTable('agents').set({ purged_at: clock.now() }).where('id', '=', agent.id).execute(),
    )
    await compareAll(instance.ctx)
    expect(await usage()).toEqual(right)
  })

  test('includes a bounded number of end users: analytics forgets those of the oldest days', async () => {
    const now = instance.ctx.clock.now()
    for (const ago of [4, 3, 2, 1])
      for (const name of ['one', 'two']) await talk(`${name} ${ago}`, now - ago * dayMs)
    await rollUp(instance.ctx)
    expect(await usage()).toMatchObject({ messages: 16, users: 12 })
    expect(await differences()).toEqual(none)
    const date = (ago: number) => new Date(now - ago * dayMs).toISOString().slice(0, 10)
    const range = { appId: agent.id, from: date(4), to: date(1) }
    const { series } = await getAppAnalytics(instance.ctx, ada.workspaceId, range)
    expect(series.map(({ users }) => users)).toEqual([0, 0, 2, 2])
    expect(series.map(({ messages }) => messages)).toEqual([4, 4, 4, 4])
  })
})
