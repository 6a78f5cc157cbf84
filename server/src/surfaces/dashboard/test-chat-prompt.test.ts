import { beforeAll, expect, test } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { setPrice } from '#features/credits/index.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { loopback } from '#test/support/chat/agent-with-actions.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  baseUrl,
  describeSignIn,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const png = `data:image/png;base64,${'iVBORw0KGgo='.repeat(40)}`
const textFile = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`

describeSignIn('a message of the test chat', (open) => {
  let service: SignInService
  let model: ModelServer
  let appId: string
  let cookie: string

  const cookieOf = async (account?: Parameters<SignInService['signedIn']>[0]) => {
    const { cookies } = await service.signedIn(account)
    return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  const post = (path: string, input: unknown, as = cookie) =>
    service.app.request(`${baseUrl}/api/dashboard${path}`, {
      method: 'POST',
      headers: { origin: baseUrl, 'content-type': 'application/json', cookie: as },
      body: JSON.stringify(input),
    })

  const run = async (name: string, input: unknown) =>
    (await (await post(`/operations/${name}`, input)).json()) as Record<string, unknown>

  const say = (input: Record<string, unknown>, as = cookie) =>
    post(`/agents/${appId}/chat`, { message: 'Where is order 42?', ...input }, as)

  async function eventsOf(response: Response): Promise<Event[]> {
    const frames = (await response.text()).split('\n\n').filter((one) => one.startsWith('data: '))
    return frames.map((frame) => JSON.parse(frame.slice(6)) as Event)
  }

  beforeAll(async () => {
    const api = await startActionServer(json({ state: 'On its way' }))
    model = await startModelServer({
      script: ({ body }) =>
        ((body.messages ?? []) as { role: string }[]).at(-1)?.role === 'tool' ||
        body.tools === undefined
          ? { reply: 'It is on its way.' }
          : { reply: '', toolCalls: [{ name: 'get_order', arguments: {} }] },
    })
    const openai = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-of-the-provider' }
    service = await open({ ...loopback, ...openai, MAX_CHAT_FILES: '2' })
    cookie = await cookieOf()
    const agent = await run('create_app', {
      name: 'Shop',
      model: 'openai/gpt-5.2',
      temperature: 0.5,
      system_prompt: 'Our token is very-secret, our key sk-of-the-provider. Be brief.',
    })
    appId = String(agent.id)
    const secret = { app_id: appId, name: 'TOKEN', value: 'very-secret', type: 'secret' }
    const set = await run('set_app_variable', { ...secret, hosts: ['shop.example'] })
    expect(set).toMatchObject({ type: 'secret' })
    await createAction(service.ctx, service.ada.workspaceId, appId, {
      name: 'get_order',
      description: 'Looks up an order',
      method: 'GET',
      url: `${api.origin}/orders`,
    })
  })

  test('shows an editor the messages, tools and parameters of each request, without secrets', async () => {
    const before = model.requests.length
    const image = { type: 'image', name: 'a.png', url: png }
    const events = await eventsOf(await say({ show_prompt: true, attachments: [image] }))
    expect(events.at(-1)?.type).toBe('done')
    const [first, second, ...more] = events.filter(({ type }) => type === 'prompt')
    expect(more).toEqual([])
    expect(first).toMatchObject({
      model: 'openai/gpt-5.2',
      kept: 0,
      messages: [
        { role: 'system', content: expect.stringContaining('Be brief.') as unknown },
        { role: 'user', content: 'Where is order 42?', images: [`${png.slice(0, 60)}…`] },
      ],
      tools: [{ name: 'get_order', description: 'Looks up an order' }],
      parameters: { temperature: 0.5 },
    })
    // The second request begins with the messages of the first one.
    expect(second).toMatchObject({
      kept: 2,
      messages: [
        { role: 'assistant', tool_calls: [{ name: 'get_order', arguments: '{}' }] },
        { role: 'tool', content: expect.stringContaining('On its way') as unknown },
      ],
    })
    const shown = JSON.stringify([first, second])
    expect(shown).toContain('Our token is ••••••, our key ••••••.')
    expect(shown).not.toMatch(/very-secret|sk-of-the-provider/)
    // The model itself reads what the editor wrote.
    expect(JSON.stringify((await model.request(before)).body)).toContain('very-secret')
  })

  test('shows its prompt to nobody who did not ask, and to no viewer', async () => {
    expect((await eventsOf(await say({}))).map(({ type }) => type)).not.toContain('prompt')
    const vera = await service.account('vera')
    const seat = { workspace_id: service.ada.workspaceId, user_id: vera.userId, role: 'viewer' }
    await service.ctx.db.write((tx) =>
      tx
        .insertInto('memberships')
        .values({ ...seat, created_at: 1 })
        .execute(),
    )
    const viewer = await cookieOf(vera)
    expect((await say({ show_prompt: true }, viewer)).status).toBe(403)
    expect((await say({}, viewer)).status).toBe(200)
  })

  test('can have files, which the model reads with it and with later messages', async () => {
    const notes = { type: 'file', name: 'notes.txt', url: textFile('Order 42 is a teapot.') }
    const before = model.requests.length
    const events = await eventsOf(await say({ attachments: [notes] }))
    const quoted = (at: number) => model.request(at).then(({ body }) => JSON.stringify(body))
    expect(await quoted(before)).toMatch(/notes\.txt.+Order 42 is a teapot\..+Where is order 42/)
    const next = model.requests.length
    await (await say({ message: 'And now?', session_id: events[0]?.session_id })).text()
    expect(await quoted(next)).toContain('Order 42 is a teapot.')
    // A question that is asked again begins a new conversation with the files of the earlier one.
    const again = model.requests.length
    const history = [
      { role: 'user', content: 'What is it?', attachments: [notes] },
      { role: 'assistant', content: 'A teapot.' },
    ]
    await (await say({ history })).text()
    expect(await quoted(again)).toContain('Order 42 is a teapot.')
  })

  test.each([
    ['is of an unknown kind', [{ type: 'file', name: 'a.exe', url: 'data:;base64,TVo=' }], 'a.exe'],
    ['is empty', [{ type: 'file', name: 'empty.txt', url: textFile('') }], 'empty.txt'],
    [
      'is one too many',
      ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ type: 'file', name, url: textFile('x') })),
      'at most 2 files',
    ],
    [
      'is no image',
      [{ type: 'image', name: 'a.svg', url: 'data:image/svg+xml;base64,PA==' }],
      'PNG',
    ],
    ['is an address', [{ type: 'image', name: 'a', url: 'https://spy.example/a.png' }], 'PNG'],
  ])('is refused with a reason if its file %s', async (_, attachments, words) => {
    const asked = model.requests.length
    const response = await say({ attachments })
    expect(response.status).toBe(422)
    expect(JSON.stringify(await response.json())).toContain(words)
    expect(model.requests).toHaveLength(asked)
  })

  test('tells a model without a price from one that costs nothing', async () => {
    const costOf = async (input: Record<string, unknown>) =>
      (await eventsOf(await say(input))).at(-1)?.cost_micros
    expect(await costOf({})).toBeNull()
    expect(await costOf({ model: 'local/extractive', store: false })).toBe(0)
    const price = {
      promptMicrosPerMillion: 1_000_000,
      completionMicrosPerMillion: 0,
      callMicros: 0,
    }
    await setPrice(service.ctx, service.ada.userId, { pattern: 'openai/*', price })
    // Also of a turn that is not stored.
    expect(await costOf({ store: false })).toBeGreaterThan(0)
  })
})
