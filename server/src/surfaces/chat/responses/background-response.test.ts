import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { eraseEndUser } from '#features/analytics/index.ts'
import { runResponse } from '#features/responses/index.ts'
import { findWorkspaceAgent, startTurn } from '#features/turns/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { startMisbehavingModelServer } from '#test/support/servers/misbehaving-model-server.ts'
import {
  bodyOf,
  eventsOf,
  expectOfficial,
  responsesOf,
  textOf,
  type ResponseBody,
} from '#test/support/chat/open-responses.ts'

const runnerOf = ({ ctx }: Pick<ChatService, 'ctx'>) =>
  createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]) // As compose.ts creates it.

const user = (content: string) => ({ role: 'user', content })
const answer = (content: string) => ({ role: 'assistant', content })
const sent = ({ model }: ChatService, n: number) => model.requests[n]?.body.messages

function api(service: ChatService) {
  const responses = responsesOf(service)
  return {
    ...responses,
    stream: async (id: string, after?: number) => {
      const from = after === undefined ? '' : `&starting_after=${after}`
      return await eventsOf(await responses.call('GET', `/responses/${id}?stream=true${from}`))
    },
    cancel: async (id: string): Promise<ResponseBody> => {
      const response = await responses.call('POST', `/responses/${id}/cancel`)
      return expectOfficial('ResponseResource', await bodyOf(response, 200))
    },
  }
}

const rows = async ({ ctx }: ChatService, table: 'response_runs' | 'response_texts') =>
  (await ctx.db.read.selectFrom(table).selectAll().execute()).length

describeChat('background responses', (open) => {
  test('are queued, run as a job, and can be polled', async () => {
    const service = await open({ model: { reply: ['Good ', 'day'] } })
    const { create, get } = api(service)
    const queued = await create({ input: 'hello', background: true })
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [], usage: null })
    expect((await get(queued.id)).status).toBe('queued')
    await runnerOf(service).runDue()
    const ended = await get(queued.id)
    expect(ended).toMatchObject({ id: queued.id, status: 'completed', background: true })
    expect(textOf(ended)).toBe('Good day')
    expect(await rows(service, 'response_runs')).toBe(0)
    expect(sent(service, 0)).toEqual([user('hello')])
    const next = await create({ input: 'more', previous_response_id: queued.id })
    expect(next.conversation).toEqual(ended.conversation)
    expect(sent(service, 1)).toEqual([user('hello'), answer('Good day'), user('more')])
  })

  test('name the model that answered when they are read, for an agent with fallback models', async () => {
    const script = ({ body }: { readonly body: Record<string, unknown> }) =>
      body.model === 'first' ? { reply: '', status: 503 } : { reply: 'Hello' }
    const service = await open({ model: { script } })
    const { ctx, owner, agent } = service
    const { create, call } = api(service)
    const name = async (fallback_models: string[]) => {
      await updateAgent(ctx, owner, agent.id, { model: 'openai/first', fallback_models })
      return (await call('GET', `/responses/${id}`)).headers.get('x-model')
    }
    const { id } = await create({ input: 'hello', background: true })
    expect(await name(['openai/second'])).toBeNull()
    await runnerOf(service).runDue()
    expect(await name(['openai/second'])).toBe('openai/second')
    expect(await name([])).toBeNull()
  })

  test('can be streamed later, from any event, always with the same numbers', async () => {
    const service = await open({ model: { reply: ['Good ', 'day'] } })
    const { create, stream, get } = api(service)
    const { id } = await create({ input: 'hello', background: true })
    const live = stream(id)
    await runnerOf(service).runDue()
    const events = await stream(id)
    expect(await live).toEqual(events)
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n))
    expect([...new Set(events.map(({ type }) => type.replace('response.', '')))]).toEqual([
      'created',
      'queued',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events.at(-1)?.response).toEqual(await get(id))
    expect(await stream(id, 3)).toEqual(events.slice(4))
  })

  test('a queued one is cancelled before it runs, and an ended one stays as it is', async () => {
    const service = await open()
    const { create, cancel, stream } = api(service)
    const first = await create({ input: 'one', background: true })
    expect((await cancel(first.id)).status).toBe('cancelled')
    const second = await create({ input: 'two', background: true })
    await runnerOf(service).runDue()
    expect((await cancel(second.id)).status).toBe('completed')
    expect((await cancel(first.id)).status).toBe('cancelled')
    expect(service.model.requests).toHaveLength(1)
    const events = await stream(first.id)
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'cancelled' },
    })
  })

  test('cancelling a running one ends the call of its model', async () => {
    const service = await open({
      model: { script: () => ({ reply: 'late', firstByteMs: 60_000 }) },
    })
    const { create, cancel, get } = api(service)
    const { id } = await create({ input: 'hello', background: true })
    const running = runnerOf(service).runDue()
    const asked = await service.model.request(0)
    expect((await get(id)).status).toBe('in_progress')
    await cancel(id)
    await asked.aborted
    await running
    expect(await get(id)).toMatchObject({ status: 'cancelled', output: [] })
  })

  test('one whose process ended is run again, and its request is stored once', async () => {
    const service = await open({
      model: { script: (_, n) => ({ reply: 'Good day', firstByteMs: n === 0 ? 60_000 : 0 }) },
    })
    const { create, get, call } = api(service)
    const { id } = await create({ input: 'hello', background: true })
    const first = runnerOf(service)
    const running = first.runDue()
    await service.model.request(0)
    await first.stop()
    await running
    expect((await get(id)).status).toBe('in_progress')
    const other = await service.again()
    await runnerOf(other).runDue()
    expect(textOf(await get(id))).toBe('Good day')
    expect(sent(service, 1)).toEqual([user('hello')])
    const items = await bodyOf<{ data: object[] }>(
      await call('GET', `/responses/${id}/input_items`),
      200,
    )
    expect(items.data).toMatchObject([{ role: 'user', content: [{ text: 'hello' }] }])
  })

  test('a question is stored with the status of its run, or not at all', async () => {
    const service = await open()
    const { create } = api(service)
    await create({ input: 'one' })
    const agent = await findWorkspaceAgent(service.ctx, service.owner.workspaceId, service.agent.id)
    const { session_id: known } = await service.ctx.db.read
      .selectFrom('chat_responses')
      .select('session_id')
      .executeTakeFirstOrThrow()
    const messages = [{ role: 'user' as const, content: 'two' }]
    const about = { source: 'api', endUser: null, correlationId: null, stream: true, store: true }
    for (const sessionId of [null, known]) {
      const asked = { ...about, agent, sessionId, messages }
      const atBeginning = () => Promise.reject(new Error('the process ends'))
      const begun = startTurn(service.ctx, { ...asked, atBeginning }, new AbortController().signal)
      await expect(begun).rejects.toThrow('the process ends')
    }
    const stored = await service.ctx.db.read.selectFrom('chat_messages').select('id').execute()
    expect(stored).toHaveLength(2)
  })

  test('one that fails reports the reason', async () => {
    const service = await open({ server: await startMisbehavingModelServer('cuts mid-stream') })
    const { create, get, stream } = api(service)
    const { id } = await create({ input: 'hello', background: true })
    await runnerOf(service).runDue()
    const failed = await get(id)
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_bad_answer' } })
    for (const item of failed.output) expect(item.status).toBe('incomplete')
    expect((await stream(id)).at(-1)).toMatchObject({ type: 'response.failed' })
  })

  test('another answer in between makes it a branch', async () => {
    const service = await open({ model: { script: (_, n) => ({ reply: `a${n}` }) } })
    const { create, get, stream } = api(service)
    const first = await create({ input: 'one' })
    const queued = await create({
      input: 'later',
      background: true,
      previous_response_id: first.id,
    })
    await create({ input: 'two', previous_response_id: first.id })
    const live = stream(queued.id)
    await runnerOf(service).runDue()
    expect(sent(service, 2)).toEqual([user('one'), answer('a0'), user('later')])
    const { conversation } = await get(queued.id)
    expect(conversation).not.toEqual(first.conversation)
    // A stream that began before the branch and a later one have the same events.
    const events = await stream(queued.id)
    expect(await live).toEqual(events)
    expect(events.slice(0, 3).map(({ response }) => response?.conversation)).toEqual([
      null,
      null,
      conversation,
    ])
  })

  test('erasing an end user finds a request that waits in a conversation of nobody', async () => {
    const service = await open()
    const { create, call } = api(service)
    const made = await bodyOf<{ id: string }>(await call('POST', '/conversations', {}), 200)
    const first = await create({ input: 'one' })
    const waits = { background: true, user: 'alice' }
    await create({ input: 'a secret', conversation: made.id, ...waits })
    await create({ input: 'another', previous_response_id: first.id, ...waits })
    const { ctx, owner, agent } = service
    const whose = { appId: agent.id, endUser: 'alice' }
    await eraseEndUser(ctx, actorOf(owner), owner.workspaceId, whose)
    expect(await rows(service, 'response_runs')).toBe(0)
    await runnerOf(service).runDue()
    const stored = await ctx.db.read.selectFrom('chat_messages').select('content').execute()
    expect(stored).toEqual([])
  })

  test('an agent has a bounded number of them', async () => {
    const service = await open({ environment: { MAX_BACKGROUND_RESPONSES: '2' } })
    const { create, post, refused } = api(service)
    for (const input of ['one', 'two']) await create({ input, background: true })
    const third = await post({ input: 'three', background: true })
    expect(await refused(third, 429)).toMatchObject({ code: 'background_full' })
    await runnerOf(service).runDue()
    await create({ input: 'three', background: true })
  })

  test('a deleted one leaves nothing, even if it is still waiting', async () => {
    const service = await open()
    const { create, call } = api(service)
    const ended = await create({ input: 'one', background: true })
    await runnerOf(service).runDue()
    const queued = await create({ input: 'two', background: true })
    for (const { id } of [ended, queued])
      expect((await call('DELETE', `/responses/${id}`)).status).toBe(200)
    await runnerOf(service).runDue()
    expect(service.model.requests).toHaveLength(1)
    expect([await rows(service, 'response_runs'), await rows(service, 'response_texts')]).toEqual([
      0, 0,
    ])
    expect(await service.ctx.db.read.selectFrom('chat_sessions').selectAll().execute()).toEqual([])
  })

  test('only a background response can be cancelled or streamed later', async () => {
    const service = await open()
    const { create, call, refused } = api(service)
    const { id } = await create({ input: 'hello' })
    const requests = [
      ['POST', `/responses/${id}/cancel`],
      ['GET', `/responses/${id}?stream=true`],
    ] as const
    for (const [method, path] of requests)
      expect(await refused(await call(method, path), 400)).toMatchObject({ code: 'not_background' })
  })
})
