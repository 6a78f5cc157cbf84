import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startAttacked } from '#test/support/processes/attacked-service.ts'
import {
  describeEnginesOnDisk,
  environmentOf,
  type TestEngine,
} from '#test/support/databases/engines.ts'
import { listOf, objectOf, openApiDocuments } from '#test/support/knowledge/large-documents.ts'
import { cleansUp } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'

cleansUp()

/** No input that a caller chose may take longer in one turn. */
const toleratedMs = 20

const deep = '['.repeat(400_000) + ']'.repeat(400_000)

/** A service, and a server of a third party whose answer the test chooses. */
async function setUp(engine: TestEngine) {
  const answer = { type: 'application/json', body: '{}' }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': answer.type }).end(answer.body)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  const host = `127.0.0.1:${port}`
  const providers = Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'GOOGLE'].flatMap((name) => [
      [`${name}_API_KEY`, 'key'],
      [`${name}_BASE_URL`, `http://${host}/v1`],
    ]),
  )
  const service = await startAttacked({
    OUTBOUND_ALLOW_PRIVATE: host,
    CHAT_RATE_LIMIT: '100000',
    CHAT_AGENT_RATE_LIMIT: '100000',
    DASHBOARD_RATE_LIMIT: 'unlimited',
    ...environmentOf(engine),
    ...providers,
  })
  const made = async (name: string, input: object) =>
    JSON.parse((await service.operation(name, JSON.stringify(input))).body)
  return { service, answer, host, made }
}

type SetUp = Awaited<ReturnType<typeof setUp>>

/**
 * The longest turn of the best of several tries: the first also loads code, and other work on the machine
 * lengthens some. An input that takes long does so in each.
 */
async function longestTurnOf<Result>({ service }: SetUp, attack: () => Promise<Result>) {
  let best = Infinity
  for (let tries = 1; ; tries += 1) {
    await service.longestTurnMs()
    const answered = await attack()
    best = Math.min(best, await service.longestTurnMs())
    if (best < toleratedMs || tries === 10) return { answered, ms: best }
  }
}

describeEnginesOnDisk('no turn of the event loop is long', (engine) => {
  test('while an OpenAPI document is imported', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const documents = openApiDocuments()
    for (const [name, openapi] of Object.entries(documents)) {
      const input = JSON.stringify({ app_id: here.service.agent.id, openapi })
      const { answered, ms } = await longestTurnOf(here, () =>
        here.service.operation('import_custom_actions', input),
      )
      expect([200, 422], name).toContain(answered.status)
      expect(ms, name).toBeLessThan(toleratedMs)
    }
  })

  test('while a curl command is imported', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const names = Array.from({ length: 12_000 }, (_, n) => `{{${n}}}`).join('')
    const commands = {
      'many names': `curl https://a.example/${names}`,
      'many words': `curl https://a.example ${'a '.repeat(49_000)}`,
      'many headers': `curl https://a.example ${'-H a:1 '.repeat(14_000)}`,
      'many fields': `curl https://a.example -d '${'a&'.repeat(49_000)}'`,
      'many quotes': `curl https://a.example ${`''""$`.repeat(18_000)}`,
    }
    for (const [name, curl] of Object.entries(commands)) {
      const input = JSON.stringify({ app_id: here.service.agent.id, curl })
      const { answered, ms } = await longestTurnOf(here, () =>
        here.service.operation('import_custom_actions', input),
      )
      expect(answered.status, name).toBe(422)
      expect(ms, name).toBeLessThan(toleratedMs)
    }
  })

  test('while an agent of 16 MB is imported', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const settings = '"format":"parley.agent","version":1,"agent":{"name":"x"}'
    const value = listOf('"aaaaaaaaaaaaaaaaaaaa"', 15_000_000)
    const action = `{"name":"a","description":"x","method":"GET","url":"https://a.example","parameters":[{"value":${value}}]}`
    const file = `{"kind":"file","title":"t","filename":"a.txt","content_base64":"${'aaaa'.repeat(3_900_000)}"}`
    const inputs = {
      'an action of many values': `"actions":[${action}]`,
      'many variables': `"variables":${listOf('{"name":"VAR","type":"string","value":"x"}', 4_000_000)}`,
      'many unknown fields': JSON.stringify(objectOf(400_000, 1)).slice(1, -1),
      'a long file': `"knowledge":[${file}]`,
      'many sources': `"knowledge":${listOf('{"kind":"text","title":"t","text":"text"}', 4_000_000)}`,
    }
    for (const [name, fields] of Object.entries(inputs)) {
      const { answered, ms } = await longestTurnOf(here, () =>
        here.service.operation('import_app', `{"document":{${settings},${fields}}}`),
      )
      expect([400, 422], name).toContain(answered.status)
      expect(ms, name).toBeLessThan(toleratedMs)
    }
  })

  test('while a message of MCP is read', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const call = (params: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`
    const messages = {
      'many values': call(`{"_meta":{"a":${listOf('"aaaaaaaaaaaaaaaaaaaaaaaa"', 4_000_000)}}}`),
      'many keys': call(JSON.stringify({ _meta: objectOf(100_000, 'x') })),
      'a long batch': listOf(call('{}'), 2_000_000),
    }
    for (const [name, message] of Object.entries(messages)) {
      const { answered, ms } = await longestTurnOf(here, () => here.service.mcp(message))
      expect(answered.status, name).toBe(400)
      expect(ms, name).toBeLessThan(toleratedMs)
    }
  })

  test('while the answer of a provider is read', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const junk = (bytes: number) => listOf('{}', bytes)
    const events = 'text/event-stream'
    const chunk = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    const answers: [string, string, string, number][] = [
      ['openai/gpt-5', 'application/json', `{"choices":${junk(16_000_000)}}`, 502],
      ['openai/gpt-5', events, `data: {"choices":${junk(1_000_000)}}\n\n`, 502],
      ['openai/gpt-5', events, `data: {"choices":[${deep}]}\n\n`, 502],
      ['openai/gpt-5', events, chunk.repeat(50_000), 200],
      ['anthropic/claude-x', 'application/json', `{"content":${junk(16_000_000)}}`, 502],
      ['anthropic/claude-x', events, `data: {"x":${junk(14_000_000)}}\n\n`, 502],
      ['google/gemini-x', 'application/json', `{"candidates":${junk(16_000_000)}}`, 502],
      ['google/gemini-x', events, `data: {"candidates":[${deep}]}\n\n`, 502],
      // Not asked for as a stream, and none.
      ['google/gemini-x', `${events}; v=1`, `{"candidates":[${'{},\n\n'.repeat(800_000)}0]}`, 502],
    ]
    for (const [model, type, body, expected] of answers) {
      const agent = await here.made('create_app', { name: 'M', model })
      const { key } = await here.made('create_chat_key', { app_id: agent.id, name: 'k' })
      Object.assign(here.answer, { type, body })
      const stream = type === events
      const messages = [{ role: 'user', content: 'hi' }]
      const { answered, ms } = await longestTurnOf(here, () =>
        here.service.post(
          '/api/v1/chat/completions',
          JSON.stringify({ model: agent.app_name_id, stream, messages }),
          { authorization: `Bearer ${key}` },
        ),
      )
      expect(answered.status, `${model} ${type}`).toBe(expected)
      expect(ms, `${model} ${type}`).toBeLessThan(toleratedMs)
    }
  })

  test(
    'while the answer of an action or of a remote MCP server is read',
    { timeout: 300_000 },
    async () => {
      const here = await setUp(engine)
      const address = `http://${here.host}/x`
      const { id: action_id } = await here.made('create_custom_action', {
        app_id: here.service.agent.id,
        name: 'act',
        description: 'x',
        method: 'GET',
        url: address,
        max_response_bytes: 5_242_880,
      })
      const server = JSON.stringify({ app_id: here.service.agent.id, name: 'far', url: address })
      const junk = listOf('{}', 4_000_000)
      const bodies = [junk, JSON.stringify(objectOf(300_000, 1)), deep]
      for (const body of bodies) {
        Object.assign(here.answer, { body })
        const tested = await longestTurnOf(here, () =>
          here.service.operation('test_custom_action', JSON.stringify({ action_id })),
        )
        expect(tested.answered.status).toBe(200)
        expect(tested.ms).toBeLessThan(toleratedMs)
        const result = `{"jsonrpc":"2.0","id":0,"result":{"tools":${body}}}`
        Object.assign(here.answer, { body: result })
        const added = await longestTurnOf(here, () =>
          here.service.operation('add_mcp_server', server),
        )
        expect(added.answered.status).toBe(422)
        expect(added.ms).toBeLessThan(toleratedMs)
      }
    },
  )

  test(
    'while a long response path is followed, and many long secrets are masked',
    { timeout: 300_000 },
    async () => {
      const here = await setUp(engine)
      const { id: app_id } = here.service.agent
      const { id: action_id } = await here.made('create_custom_action', {
        app_id,
        name: 'act',
        description: 'x',
        method: 'GET',
        url: `http://${here.host}/x`,
        response_path: `[*]${'.a'.repeat(240)}`,
        max_response_bytes: 5_242_880,
      })
      Object.assign(here.answer, { body: listOf('1', 190_000) })
      for (const value of [null, 'ab+/&<>"% '.repeat(800)]) {
        const secrets = value === null ? [] : Array.from({ length: 100 }, (_, n) => `${n}${value}`)
        for (const [n, secret] of secrets.entries())
          await here.made('set_app_variable', {
            app_id,
            name: `SECRET_${n}`,
            type: 'secret',
            value: secret.slice(0, 8000),
            hosts: [here.host],
          })
        const { answered, ms } = await longestTurnOf(here, () =>
          here.service.operation('test_custom_action', JSON.stringify({ action_id })),
        )
        expect(answered.status).toBe(200)
        expect(ms, `${secrets.length} secrets`).toBeLessThan(toleratedMs)
      }
    },
  )

  test('while a sitemap of 50,000 addresses is read', { timeout: 300_000 }, async () => {
    const here = await setUp(engine)
    const address = (n: number) => `<loc>http://${here.host}/${`${n}`.padEnd(180, 'x')}</loc>`
    const addresses = Array.from({ length: 50_000 }, (_, n) => address(n)).join('')
    Object.assign(here.answer, {
      type: 'application/xml',
      body: `<urlset>${addresses}</urlset>`,
    })
    const read = async () => {
      const { id } = await here.made('add_knowledge_source', {
        app_id: here.service.agent.id,
        kind: 'sitemap',
        url: `http://${here.host}/map.xml`,
        max_pages: 1,
      })
      const input = JSON.stringify({ source_id: id })
      await until('the sitemap is read', async () => {
        const { body } = await here.service.operation('get_knowledge_source', input)
        return !['queued', 'processing'].includes(JSON.parse(body).status)
      })
    }
    const { ms } = await longestTurnOf(here, read)
    expect(ms).toBeLessThan(toleratedMs)
  })
})
