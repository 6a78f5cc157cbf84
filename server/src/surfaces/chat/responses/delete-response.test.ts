import { expect, test } from 'vitest'
import { compareAll, rollUp } from '#features/analytics/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, cityParameter, loopback } from '#test/support/chat/agent-with-actions.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf, responsesOf, sessionOf } from '#test/support/chat/open-responses.ts'

const messages = async ({ ctx }: ChatService) =>
  (await ctx.db.read.selectFrom('chat_messages').select('id').execute()).length

describeChat('deleting responses', (open) => {
  test('a deleted response is gone, and deleting the last one deletes its messages', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const first = await create({ input: 'one' })
    const second = await create({ input: 'two', previous_response_id: first.id })
    const deleted = await bodyOf<object>(await call('DELETE', `/responses/${first.id}`), 200)
    expect(deleted).toEqual({ id: first.id, object: 'response', deleted: true })
    expect((await call('GET', `/responses/${first.id}`)).status).toBe(404)
    expect(await messages(service)).toBe(4)
    await call('DELETE', `/responses/${second.id}`)
    expect(await messages(service)).toBe(0)
    expect((await call('DELETE', `/responses/${second.id}`)).status).toBe(404)
  })

  test('a session to which other requests added messages outlives its responses', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const first = await create({ input: 'one' })
    await answerOf(
      service.say('by chat completions', { chatSessionId: sessionOf(first.conversation?.id) }),
    )
    await call('DELETE', `/responses/${first.id}`)
    expect(await messages(service)).toBe(4)
    const named = await create({ input: 'two' })
    const last = await create({ input: 'three', conversation: named.conversation?.id })
    // The request of the other one named the session, also after it was deleted.
    for (const { id } of [last, named]) await call('DELETE', `/responses/${id}`)
    expect(await messages(service)).toBe(8)
    const branched = await create({ input: 'four' })
    const next = await create({ input: 'five', previous_response_id: branched.id })
    const branch = await create({ input: 'six', previous_response_id: branched.id })
    expect(await messages(service)).toBe(16)
    for (const { id } of [branched, branch, next]) await call('DELETE', `/responses/${id}`)
    expect(await messages(service)).toBe(8)
  })

  test('what a deleted one repeated of its request no longer counts as stored bytes', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, call } = responsesOf(service)
    const { ctx, advance } = service
    const bytes = async () => {
      const usage = ctx.db.read.selectFrom('workspace_usage').select('message_bytes')
      return Number((await usage.executeTakeFirstOrThrow()).message_bytes)
    }
    const metadata = { note: 'x'.repeat(500) }
    const first = await create({ input: 'one', metadata })
    const second = await create({ input: 'two', metadata, previous_response_id: first.id })
    const queued = await create({ input: 'three', metadata, background: true })
    advance(10 * 60_000)
    await rollUp(ctx)
    const all = await bytes()
    expect(all).toBeGreaterThan(3 * 500)
    await call('DELETE', `/responses/${queued.id}`)
    await call('DELETE', `/responses/${first.id}`)
    expect(await bytes()).toBeLessThan(all - 2 * 500)
    const left = await bytes()
    await compareAll(ctx)
    expect(await bytes()).toBe(left)
    await call('DELETE', `/responses/${second.id}`)
    expect(await bytes()).toBe(0)
  })
})

describeChat('deleting a response while its caller waits', (open) => {
  const rows = async ({ ctx }: ChatService) => {
    const { read } = ctx.db
    const tables = ['chat_messages', 'chat_sessions', 'chat_responses', 'partial_answers'] as const
    return JSON.stringify(
      await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute())),
    )
  }

  test('deletes its session when it has ended, and nothing else before', async () => {
    const script = () => ({ reply: ['my ', 'secret'], firstByteMs: 300, chunkMs: 10 })
    const service = await open({ model: { script } })
    const { call, post } = responsesOf(service)
    const { ctx, advance } = service
    const runner = createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse])
    const streamed = post({ input: 'hello', stream: true })
    await service.model.request(0)
    const row = await ctx.db.read.selectFrom('chat_responses').select('id').executeTakeFirst()
    const path = `/responses/resp_${row?.id.replaceAll('-', '')}`
    await bodyOf(await call('DELETE', path), 200)
    await runner.runDue()
    expect(await rows(service)).toContain('hello')
    expect(await (await streamed).text()).toContain('secret')
    expect(await rows(service)).toContain('secret')
    advance(5_000)
    await runner.runDue()
    expect(await rows(service)).toBe('[[],[],[],[]]')
    const entries = ctx.db.read.selectFrom('credit_entries').select('kind')
    expect(await entries.execute()).toEqual([{ kind: 'turn' }])
  })

  test('leaves the messages of a session that has another response', async () => {
    const script = (_: unknown, n: number) => ({ reply: 'ok', firstByteMs: n === 1 ? 300 : 0 })
    const service = await open({ model: { script } })
    const { call, create, post, get } = responsesOf(service)
    const { ctx, advance } = service
    const first = await create({ input: 'one' })
    const streamed = post({ input: 'two', previous_response_id: first.id, stream: true })
    await service.model.request(1)
    const found = ctx.db.read.selectFrom('chat_responses').select('id').orderBy('created_at')
    const last = (await found.orderBy('first_seq').execute()).at(-1)
    await bodyOf(await call('DELETE', `/responses/resp_${last?.id.replaceAll('-', '')}`), 200)
    await (await streamed).text()
    advance(5_000)
    await createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]).runDue()
    expect(await messages(service)).toBe(4)
    expect((await get(first.id)).status).toBe('completed')
  })
})

describeChat('deleting background responses', (open) => {
  const runnerOf = ({ ctx }: ChatService) =>
    createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]) // As compose.ts creates it.
  const everything = async ({ ctx }: ChatService) => {
    const { read } = ctx.db
    const tables = ['chat_messages', 'chat_sessions', 'chat_responses', 'response_runs'] as const
    const rows = tables.map((table) => read.selectFrom(table).selectAll().execute())
    return JSON.stringify(await Promise.all(rows))
  }
  const slow = { model: { script: () => ({ reply: 'late', firstByteMs: 60_000 }) } }

  test('cancels one that is being answered, and leaves only its entry in the ledger', async () => {
    const service = await open(slow)
    const { create, call } = responsesOf(service)
    const { id } = await create({ input: 'my secret', background: true })
    const running = runnerOf(service).runDue()
    const asked = await service.model.request(0)
    expect(await everything(service)).toContain('my secret')
    await bodyOf(await call('DELETE', `/responses/${id}`), 200)
    await asked.aborted
    await running
    expect(await everything(service)).toBe('[[],[],[],[]]')
    const entries = service.ctx.db.read.selectFrom('credit_entries').select('kind')
    expect(await entries.execute()).toEqual([{ kind: 'turn' }])
  })

  test('deletes its question in a conversation that goes on', async () => {
    const script = (_: unknown, n: number) => ({ reply: 'ok', firstByteMs: n === 1 ? 60_000 : 0 })
    const service = await open({ model: { script } })
    const { create, call } = responsesOf(service)
    const first = await create({ input: 'kept' })
    const input = { input: 'my secret', background: true, previous_response_id: first.id }
    const { id } = await create(input)
    const running = runnerOf(service).runDue()
    await service.model.request(1)
    await bodyOf(await call('DELETE', `/responses/${id}`), 200)
    await running
    expect(await everything(service)).not.toContain('secret')
    const conversation = `/conversations/${first.conversation?.id}/items`
    const { data } = await bodyOf<{ data: object[] }>(await call('GET', conversation), 200)
    expect(data).toHaveLength(2)
  })

  test('deletes what its actions exchanged, too', async () => {
    const api = await startActionServer(json({ secret: 'received' }))
    const calls = [{ name: 'get_weather', arguments: { city: 'my secret' } }]
    const script = (_: unknown, n: number) =>
      [{ reply: 'ok' }, { reply: '', toolCalls: calls }][n] ?? { reply: '', firstByteMs: 60_000 }
    const service = await open({ model: { script }, environment: loopback })
    await addAction(service, { url: api.origin, parameters: [cityParameter] })
    const { create, call } = responsesOf(service)
    const first = await create({ input: 'kept' })
    const asked = { input: 'now', background: true, previous_response_id: first.id }
    const { id } = await create(asked)
    const running = runnerOf(service).runDue()
    await service.model.request(2)
    const exchanged = async () => {
      const rows = service.ctx.db.read.selectFrom('action_calls').selectAll().execute()
      return JSON.stringify(await rows)
    }
    expect(await exchanged()).toMatch(/my secret.*received/)
    await bodyOf(await call('DELETE', `/responses/${id}`), 200)
    await running
    expect(await exchanged()).toBe('[]')
    expect((await call('GET', `/responses/${first.id}`)).status).toBe(200)
  })

  test('also if the process that answers it has ended', async () => {
    const service = await open(slow)
    const { create, call } = responsesOf(service)
    const { id } = await create({ input: 'my secret', background: true })
    const dying = runnerOf(service)
    const running = dying.runDue()
    await service.model.request(0)
    await dying.stop()
    await running
    await bodyOf(await call('DELETE', `/responses/${id}`), 200)
    await runnerOf(service).runDue()
    expect(await everything(service)).toBe('[[],[],[],[]]')
  })
})
