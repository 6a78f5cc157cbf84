import { Writable } from 'node:stream'
import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { findWorkspaceAgent, startTurn } from '#features/turns/index.ts'
import { operations } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

/** Characters that every encoding changes. */
const secret = `s€cret+"/\\ &=k'éy?`
const token = 'tok-1234567890'

/** Every form in which the secret could be read. */
const forms = [
  secret,
  token,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(`ada:${token}`).toString('base64'),
]

/** Neither in the text itself, nor after decoding JSON and URLs. */
function expectNone(text: string): void {
  const percent = text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
    )
  for (const form of forms)
    for (const written of [form, JSON.stringify(form).slice(1, -1), form.replaceAll('+', ' ')])
      for (const read of [text, percent]) expect(read).not.toContain(written)
}

describeInstance('a secret', (open) => {
  let instance: TestInstance
  let ctx: Context
  let ada: Person
  let agent: Agent
  let api: ActionServer
  let model: ModelServer
  const logged: string[] = []
  const answers: string[] = []

  beforeAll(async () => {
    model = await startModelServer({
      script: (_, n) =>
        n === 0
          ? {
              reply: '',
              toolCalls: [
                { name: 'echo', arguments: { word: token } },
                { name: 'echo_path' },
                { name: 'get_basic' },
              ],
            }
          : { reply: 'Done.' },
    })
    // It returns every request in several encodings, as a debugging endpoint would.
    api = await startActionServer((response, request) => {
      response.writeHead(request.path.startsWith('/fail') ? 500 : 200)
      response.end(
        JSON.stringify({
          ...request,
          plain: decodeURIComponent(request.path),
          base64: Buffer.from(JSON.parse(request.body || '{}').key ?? '').toString('base64'),
        }),
      )
    })
    instance = await open({
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      DEFAULT_MODEL: 'openai/mock',
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    })
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        logged.push(line.toString())
        done()
      },
    })
    ctx = { ...instance.ctx, log: pino({ level: 'trace' }, stream) }
    ada = await instance.person()
    agent = await createAgent(ctx, ada, { name: 'Helper' })
    await setUp()
  })

  async function call(name: string, input: Record<string, unknown>) {
    const operation = operations.find((one) => one.name === name)!
    try {
      const answer = await runOperation(ctx, actorOf(ada), operation, input)
      answers.push(JSON.stringify(answer))
      return answer
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      answers.push(JSON.stringify(error.facts), faultMessage(error))
      return {}
    }
  }

  async function setUp() {
    const app_id = agent.id
    const hosts = [api.host.toUpperCase()]
    await call('set_app_variable', { app_id, name: 'KEY', type: 'secret', value: secret, hosts })
    const action = { app_id, description: 'Echo', method: 'POST' }
    await call('create_custom_action', {
      ...action,
      name: 'echo',
      url: `${api.origin}/echo?k={{var.KEY}}`,
      parameters: [
        { in: 'body', key: 'key', source: 'variable', value: 'KEY' },
        { in: 'body', key: 'word', source: 'ai' },
      ],
    })
    await call('create_custom_action', {
      ...action,
      name: 'echo_path',
      url: `${api.origin}/fail/{{var.KEY}}`,
    })
    await call('import_custom_actions', {
      app_id,
      dry_run: false,
      curl: `curl -u ada:${token} -H 'X-Api-Key: ${token}' '${api.origin}/basic?token=${token}'`,
    })
  }

  test('reaches the server that it is for', async () => {
    const model = { agent: await findWorkspaceAgent(ctx, ada.workspaceId, agent.id) }
    const request = { source: 'test', sessionId: null, store: true, endUser: null }
    const messages = [{ role: 'user' as const, content: 'hi' }]
    const input = { ...model, ...request, messages, correlationId: null, stream: false }
    const turn = await startTurn(ctx, input, new AbortController().signal)
    answers.push(JSON.stringify(await turn.answer()))
    await call('get_conversation', { session_id: turn.sessionId })
    expect(api.requests).toHaveLength(3)
    const [echo, path, basic] = ['/echo', '/fail', '/basic'].map((beginning) =>
      api.requests.find(({ path }) => path.startsWith(beginning))!,
    )
    expect(JSON.parse(echo!.body)).toEqual({ key: secret, word: token })
    expect(path!.path).toBe(`/fail/${encodeURIComponent(secret)}`)
    expect(basic).toMatchObject({
      path: `/basic?token=${token}`,
      headers: {
        'x-api-key': token,
        authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}`,
      },
    })
  })

  test('is in no answer of any operation, and in no message of a fault', async () => {
    const { items } = (await call('list_custom_actions', { app_id: agent.id })) as {
      items: { id: string; name: string }[] // A list.
    }
    for (const { id: action_id, name } of items) {
      await call('get_custom_action', { action_id })
      await call('test_custom_action', {
        action_id,
        arguments: name === 'echo' ? { word: 'x' } : {},
      })
      await call('update_custom_action', { action_id, title: 'Echo' })
    }
    await call('list_app_variables', { app_id: agent.id })
    // Another kind would show the value, and other hosts would receive it.
    await call('set_app_variable', { app_id: agent.id, name: 'KEY', type: 'string' })
    await call('set_app_variable', {
      app_id: agent.id,
      name: 'KEY',
      type: 'secret',
      hosts: ['a.b'],
    })
    await call('list_app_variables', { app_id: agent.id })
    expect(answers.length).toBeGreaterThan(12)
    for (const answer of answers) expectNone(answer)
    expect(answers.join()).toContain('••••••')
  })

  test('is not in the responses that the model reads', async () => {
    const sent = JSON.stringify(model.requests[1]?.body)
    // The model wrote the token itself, in its own call.
    const [, results = ''] = sent.split('"role":"tool"')
    expect(results).toContain('••••••')
    expectNone(results)
  })

  test('is sealed in every row and in no line of the log', async () => {
    const { read } = instance.ctx.db
    const rows = JSON.stringify(
      await Promise.all([
        read.selectFrom('action_calls').selectAll().execute(),
        read.selectFrom('custom_actions').selectAll().execute(),
        read.selectFrom('agent_variables').selectAll().execute(),
        read.selectFrom('audit_events').selectAll().execute(),
        read.selectFrom('chat_messages').selectAll().execute(),
      ]),
    )
    expect(rows).toContain('echo_path')
    expectNone(rows)
    expectNone(logged.join())
  })

  test('is sent to its own hosts only, also when the address of an action changes', async () => {
    const other = await startActionServer((response) => void response.end('{}'))
    const { items } = (await call('list_custom_actions', { app_id: agent.id })) as {
      items: { id: string; name: string; headers: Record<string, string> }[] // A list.
    }
    const basic = items.find(({ name }) => name === 'get_basic')!
    expect(basic.headers).toEqual({
      authorization: 'Basic {{var.GET_BASIC__AUTHORIZATION}}',
      'x-api-key': '{{var.GET_BASIC__X_API_KEY}}',
    })
    await call('update_custom_action', { action_id: basic.id, url: other.origin, parameters: [] })
    expect(await call('test_custom_action', { action_id: basic.id })).toMatchObject({
      ok: false,
      error_code: 'secret_not_for_host',
    })
    expect(other.requests).toEqual([])
  })
})
