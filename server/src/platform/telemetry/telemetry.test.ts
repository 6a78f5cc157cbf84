import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { callOperation } from '#test/faults/call-operation.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import {
  startModelServer,
  startServer,
  type ModelServer,
} from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  startParley,
  type Environment,
} from '#test/support/processes/parley-process.ts'
import { logLines } from '#test/support/processes/service-log.ts'

const recorder = join(import.meta.dirname, '../../../test/support/processes/record-modules.ts')

cleansUp()

const servers: ModelServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Item {
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly name?: string
  readonly body?: { readonly stringValue: string }
  readonly attributes: readonly KeyValue[]
}

/** Everything in the requests of one kind that a collector received. */
function received(collector: ModelServer, kind: 'Spans' | 'Logs'): readonly Item[] {
  const [of, items] = kind === 'Spans' ? ['scopeSpans', 'spans'] : ['scopeLogs', 'logRecords']
  return collector.requests.flatMap(({ body }) => {
    const resources = (body[`resource${kind}`] ?? []) as Record<string, Record<string, Item[]>[]>[] // OTLP's JSON.
    return resources.flatMap(
      (resource) => resource[of]?.flatMap((scope) => scope[items] ?? []) ?? [],
    )
  })
}

/** A turn of an agent with knowledge and an action, which the model calls once. */
async function tracedTurn(engine: Environment, more: Environment = {}) {
  const collector = await startServer((response) => void response.end('{}'))
  const api = await startServer((response) => void response.end('{"celsius":21}'))
  const call = { id: 'call_1', name: 'get_weather', arguments: '{}' }
  const model = await startModelServer({
    script: (_, n) => (n === 0 ? { reply: '', toolCalls: [call] } : { reply: 'Planted answer.' }),
  })
  servers.push(collector, api, model)
  const own = { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl }
  const environment = { ...engine, ...own, OUTBOUND_ALLOW_PRIVATE: '127.0.0.1', LOG_LEVEL: 'info' }
  const agent = await callOperation(environment, 'create_app', { name: 'Tr', model: 'openai/mock' })
  const of = { app_id: agent.id }
  await callOperation(environment, 'add_knowledge_source', {
    ...of,
    title: 'Hours',
    text: 'We open at nine.',
  })
  const action = {
    name: 'get_weather',
    description: 'The weather',
    method: 'GET',
    url: `${api.origin}/now`,
  }
  await callOperation(environment, 'create_custom_action', { ...of, ...action })
  const { key } = await callOperation(environment, 'create_chat_key', { ...of, name: 'key' })
  const service = await startParley({
    ...environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=planted%20header',
    ...more,
  })
  const response = await fetch(`${service.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
    body: JSON.stringify({
      model: agent.app_name_id,
      messages: [{ role: 'user', content: 'Planted question: when do you open?' }],
      stream: true,
    }),
  })
  expect(await response.text()).toContain('[DONE]')
  service.signal('SIGTERM')
  expect((await service.finished).code).toBe(0)
  return { collector, service, key }
}

describeEngines('telemetry over OTLP', (engine) => {
  test('has one trace from the request to the store, and its log lines, without content', async () => {
    const { collector, key } = await tracedTurn(serviceEnvironment(engine.settings()))
    const spans = received(collector, 'Spans').filter(({ traceId }) => traceId === 'a'.repeat(32))
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const path = (span: Item | undefined): string[] =>
      span === undefined ? [] : [...path(byId.get(span.parentSpanId ?? '')), span.name ?? '']
    const paths = spans.map((span) => path(span).join(' > '))
    const turn = 'POST chat > invoke_agent'
    expect(paths).toContain(turn)
    expect(paths).toContain(`${turn} > retrieval`)
    expect(paths.filter((one) => one === `${turn} > chat mock`)).toHaveLength(2)
    expect(paths).toContain(`${turn} > execute_tool get_weather`)
    expect(paths.some((one) => one.startsWith(`${turn} > store `))).toBe(true)
    const root = spans.find(({ name }) => name === 'POST chat')
    expect(root?.parentSpanId).toBe('b'.repeat(16))
    const call = spans.find(({ name }) => name === 'chat mock')
    expect(call?.attributes).toContainEqual({
      key: 'gen_ai.provider.name',
      value: { stringValue: 'openai' },
    })
    const line = received(collector, 'Logs').find(({ body }) => body?.stringValue === 'chat turn')
    expect(line?.traceId).toBe('a'.repeat(32))
    expect(collector.requests[0]?.headers['x-api-key']).toBe('planted header')
    const all = JSON.stringify(collector.requests.map(({ body }) => body))
    for (const hidden of ['Planted', 'planted', key]) expect(all).not.toContain(hidden)
  })
})

describeEngines(
  'telemetry',
  (engine) => {
    test('has content if the operator asks for it', async () => {
      const { collector } = await tracedTurn(serviceEnvironment(engine.settings()), {
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      })
      const all = JSON.stringify(received(collector, 'Spans'))
      expect(all).toContain('Planted question')
      expect(all).toContain('Planted answer')
    })

    test('loads none of its modules without the address of a collector', async () => {
      const modulesOf = async (more: Environment) => {
        const LOADED_MODULES = join(await emptyFolder(), 'modules')
        const NODE_OPTIONS = `--import=${pathToFileURL(recorder)}`
        const environment = { ...serviceEnvironment(engine.settings()), NODE_OPTIONS }
        const service = await startParley({ ...environment, LOADED_MODULES, ...more })
        service.signal('SIGTERM')
        await service.finished
        const modules = (await readFile(LOADED_MODULES, 'utf8')).split('\n')
        expect(modules.some((url) => url.endsWith('/src/commands/serving/serve.ts'))).toBe(true)
        return modules.filter((url) => /\/platform\/telemetry\/|opentelemetry/.test(url))
      }
      expect(await modulesOf({})).toEqual([])
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
      expect(await modulesOf(endpoint)).toHaveLength(4)
    })

    test('that cannot be exported is one line of the log, and delays no answer', async () => {
      const { service } = await tracedTurn(serviceEnvironment(engine.settings()), {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      })
      const lines = logLines(service).filter(({ msg }) => msg === 'telemetry could not be exported')
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.length).toBeLessThanOrEqual(2)
    })
  },
  'sqlite',
)
