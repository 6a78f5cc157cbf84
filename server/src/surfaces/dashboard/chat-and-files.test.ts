import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { grantCredits, setCreditCap, setPrice } from '#features/credits/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

describeSignIn('the test chat and the uploads of the dashboard', (open) => {
  let service: SignInService
  let cookie: string
  let model: ModelServer
  let agent: { id: string; app_name_id: string }

  async function cookieOf(account?: Account): Promise<string> {
    const { cookies } = await service.signedIn(account)
    return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async function post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return await service.app.request(`${baseUrl}/api/dashboard${path}`, {
      method: 'POST',
      headers: {
        origin: baseUrl,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        cookie,
        ...headers,
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    })
  }

  async function run(name: string, input: unknown): Promise<Record<string, unknown>> {
    const response = await post(`/operations/${name}`, JSON.stringify(input))
    return (await response.json()) as Record<string, unknown>
  }

  function say(input: Record<string, unknown>, headers = {}, signal?: AbortSignal) {
    return post(`/agents/${agent.app_name_id}/chat`, JSON.stringify(input), headers, signal)
  }

  async function eventsOf(response: Response): Promise<Event[]> {
    const frames = (await response.text()).split('\n\n').filter((one) => one.startsWith('data: '))
    return frames.map((frame) => JSON.parse(frame.slice(6)) as Event)
  }

  async function makeAgent(changes: Record<string, unknown> = {}): Promise<void> {
    agent = (await run('create_app', {
      name: 'Tester',
      model: 'openai/gpt-5.2',
      ...changes,
    })) as typeof agent
  }

  beforeAll(async () => {
    model = await startModelServer({ reply: ['Good ', 'day.'] })
    service = await open({ ...loopback, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-x' })
    cookie = await cookieOf()
    await makeAgent()
  })

  test('an answer is streamed, and is stored as a conversation of the dashboard', async () => {
    const response = await say({ message: 'Good day' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = await eventsOf(response)
    const types = events.map(({ type }) => type)
    expect([...new Set(types)]).toEqual(['start', 'text', 'done'])
    const said = events.filter(({ type }) => type === 'text').map(({ text }) => text)
    expect(said.join('')).toBe('Good day.')
    expect(events.at(-1)).toMatchObject({ finish_reason: 'stop', citations: [] })
    const sessionId = events[0]?.session_id
    expect(await run('get_conversation', { session_id: sessionId })).toMatchObject({
      source: 'dashboard',
      messages: { items: [{ content: 'Good day' }, { content: 'Good day.' }] },
    })
    const next = await eventsOf(await say({ message: 'And now?', session_id: sessionId }))
    expect(next[0]?.session_id).toBe(sessionId)
    expect(await run('get_conversation', { session_id: sessionId })).toMatchObject({
      message_count: 4,
    })
  })

  test('the events show the tool calls of the agent', async () => {
    const api = await startActionServer(json({ degrees: 21 }))
    const acting = await startModelServer({
      script: (_, n) =>
        n === 0
          ? { reply: '', toolCalls: [{ name: 'get_weather', arguments: {} }] }
          : { reply: 'It is 21 degrees.' },
    })
    const other = await open({
      ...loopback,
      OPENAI_BASE_URL: acting.baseUrl,
      OPENAI_API_KEY: 'sk-x',
    })
    ;[service, cookie] = [other, '']
    cookie = await cookieOf()
    await makeAgent()
    await createAction(other.ctx, other.ada.workspaceId, agent.id, {
      name: 'get_weather',
      description: 'The weather',
      method: 'GET',
      url: `${api.origin}/weather`,
    })
    const events = await eventsOf(await say({ message: 'How warm is it?' }))
    const calls = events.filter(({ type }) => type === 'tool_calls')
    expect(calls.at(-1)?.items).toMatchObject([
      { name: 'get_weather', status: 'done', http_status: 200, response: '{"degrees":21}' },
    ])
    expect(events.at(-1)?.type).toBe('done')
  })

  test.each([
    {
      word: 'Yes',
      turnsBefore: 0,
      end: { status: 'done', http_status: 200, response: '{"ok":1}' },
    },
    {
      word: 'Yes',
      turnsBefore: 6,
      end: { status: 'done', http_status: 200, response: '{"ok":1}' },
    },
    { word: 'No', turnsBefore: 0, end: { status: 'declined', http_status: null, response: null } },
  ])(
    'the outcome of a call to confirm is reported: $word after $turnsBefore others',
    async ({ word, turnsBefore, end }) => {
      const api = await startActionServer(json({ ok: 1 }))
      const acting = await startModelServer({
        script: (_, n) =>
          n === turnsBefore
            ? { reply: '', toolCalls: [{ name: 'send_parcel', arguments: {} }] }
            : { reply: 'As you say.' },
      })
      service = await open({ ...loopback, OPENAI_BASE_URL: acting.baseUrl, OPENAI_API_KEY: 'sk-x' })
      cookie = await cookieOf()
      await makeAgent()
      await createAction(service.ctx, service.ada.workspaceId, agent.id, {
        name: 'send_parcel',
        description: 'Sends a parcel',
        method: 'POST',
        url: api.origin,
        requires_confirmation: true,
      })
      const callsOf = (events: Event[]) =>
        events.filter(({ type }) => type === 'tool_calls').at(-1)?.items as { id: string }[]
      let session = {}
      for (let n = 0; n < turnsBefore; n++) {
        const [start] = await eventsOf(await say({ message: 'Good day', ...session }))
        session = { session_id: start?.session_id }
      }
      const asking = await eventsOf(await say({ message: 'Send it', ...session }))
      const [asked] = callsOf(asking)
      expect(asked).toMatchObject({ name: 'send_parcel', status: 'awaiting_confirmation' })
      session = { session_id: asking[0]?.session_id }
      const answer = await eventsOf(await say({ message: word, ...session }))
      expect(callsOf(answer)).toMatchObject([{ id: asked?.id, ...end }])
      expect(api.requests).toHaveLength(end.status === 'done' ? 1 : 0)
      const after = await eventsOf(await say({ message: 'Thank you', ...session }))
      expect(after.map(({ type }) => type)).not.toContain('tool_calls')
    },
  )

  test('the last event contains the citations', async () => {
    await makeAgent({ model: 'local/extractive' })
    const text = 'Parcels are delivered within three working days.'
    await run('add_knowledge_source', { app_id: agent.id, title: 'Delivery', text })
    const events = await eventsOf(await say({ message: 'When are parcels delivered?' }))
    expect(events.at(-1)).toMatchObject({ type: 'done', citations: [{ title: 'Delivery' }] })
  })

  test('refusals come before the stream, as JSON', async () => {
    expect((await say({ message: '' })).status).toBe(422)
    expect((await say({ message: 'x', colour: 'red' })).status).toBe(422)
    expect((await say({ message: 'x' }, { cookie: '' })).status).toBe(401)
    expect((await say({ message: 'x' }, { origin: 'https://evil.example' })).status).toBe(403)
    const eve = await cookieOf(await service.account('eve'))
    expect((await say({ message: 'x' }, { cookie: eve })).status).toBe(404)
    const upload = `/agents/${agent.id}/files?filename=a.txt`
    expect((await post(upload, 'x', { cookie: eve })).status).toBe(404)
    expect((await post(upload, 'x', { origin: 'https://evil.example' })).status).toBe(403)
  })

  test('a turn without credits, or beyond a cap, is refused with 402 and a hint where to look', async () => {
    const poor = await open({ PLAN_CREDITS: 'builder=0' })
    const { ctx, ada } = poor
    const callMicros = 1_000_000
    const price = { promptMicrosPerMillion: 0, completionMicrosPerMillion: 0, callMicros }
    await setPrice(ctx, ada.userId, { pattern: 'local/*', price })
    ;[service, cookie] = [poor, '']
    cookie = await cookieOf()
    await makeAgent({ model: 'local/extractive' })
    const refused = async () => {
      const response = await say({ message: 'Good day' })
      expect(response.status).toBe(402)
      return ((await response.json()) as { error: unknown }).error
    }
    expect(await refused()).toMatchObject({
      code: 'credits_used_up',
      message: expect.stringMatching(/no credits left.+Settings/),
    })
    const cap = { subject: 'workspace', subjectId: '', period: 'day', amountMicros: 1 } as const
    await grantCredits(ctx, ada.userId, {
      workspaceId: ada.workspaceId,
      amountMicros: 9_000_000,
      note: null,
      idempotencyKey: undefined,
    })
    await setCreditCap(ctx, ada, cap)
    expect(await refused()).toMatchObject({
      code: 'credit_cap_reached',
      message: expect.stringMatching(/resets at \d{4}-.+Settings/),
    })
  })

  test('a viewer may chat, but neither choose a model nor upload, and their file is not read', async () => {
    service = await open({ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-x' })
    cookie = await cookieOf()
    await makeAgent()
    const vera = await service.account('vera')
    const seat = { workspace_id: service.ada.workspaceId, user_id: vera.userId, role: 'viewer' }
    await service.ctx.db.write((tx) =>
      tx
        .insertInto('memberships')
        .values({ ...seat, created_at: 1 })
        .execute(),
    )
    const viewer = { cookie: await cookieOf(vera) }
    expect((await say({ message: 'x' }, viewer)).status).toBe(200)
    expect((await say({ message: 'x', model: 'openai/x' }, viewer)).status).toBe(403)
    const path = `/agents/${agent.id}/files?filename=a.txt`
    expect((await post(path, 'x', viewer)).status).toBe(403)
  })

  test('a client that disconnects aborts the model call', async () => {
    const reply = Array.from({ length: 1000 }, () => 'word ')
    const slow = await startModelServer({ script: () => ({ reply, chunkMs: 20 }) })
    service = await open({ OPENAI_BASE_URL: slow.baseUrl, OPENAI_API_KEY: 'sk-x' })
    cookie = await cookieOf()
    await makeAgent()
    const reader = new AbortController()
    const response = await say({ message: 'x' }, {}, reader.signal)
    const body = response.body!.getReader()
    await body.read()
    const asked = await slow.request(0)
    reader.abort()
    await body.cancel()
    const aborted = asked.aborted.then(() => true)
    expect(await Promise.race([aborted, sleep(5000).then(() => false)])).toBe(true)
  })

  test('a file is stored as it arrives, and returned as a source', async () => {
    const response = await post(
      `/agents/${agent.app_name_id}/files?filename=${encodeURIComponent('Über uns.md')}`,
      '# About us\n\nWe sell tea.',
      { 'content-type': 'text/markdown' },
    )
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      kind: 'file',
      filename: 'Über uns.md',
      status: 'queued',
    })
    const { items } = (await run('list_knowledge_sources', { app_id: agent.id })) as {
      items: unknown[]
    }
    expect(items).toHaveLength(1)
  })

  test('a file that is too large, empty, of an unknown kind or without a name is not stored', async () => {
    const path = (name: string) => `/agents/${agent.app_name_id}/files?filename=${name}`
    const before = await run('list_knowledge_sources', { app_id: agent.id })
    const limit = service.ctx.config.maxFileSourceBytes
    const declared = { 'content-length': String(limit + 1) }
    expect((await post(path('a.txt'), 'x', declared)).status).toBe(413)
    expect((await post(path('a.txt'), '')).status).toBe(422)
    const unknown = { 'content-type': 'application/octet-stream' }
    expect((await post(path('a.exe'), 'x', unknown)).status).toBe(422)
    expect((await post(`/agents/${agent.id}/files`, 'x')).status).toBe(422)
    expect(await run('list_knowledge_sources', { app_id: agent.id })).toEqual(before)
  })
})
