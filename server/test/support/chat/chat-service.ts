import { Hono } from 'hono'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterAll } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import type { Plan } from '#kernel/plan.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
  type Person,
} from '#test/support/test-instance.ts'
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from '#test/support/servers/model-server.ts'

/** The chat surface with the whole context, one agent, its key and its model. */
export interface ChatService extends TestInstance {
  readonly model: ModelServer
  readonly person: TestInstance['person']
  readonly owner: Person
  readonly agent: { readonly id: string; readonly app_name_id: string }
  readonly key: string
  readonly app: Hono
  /** POST /api/v1/chat/completions, with the agent's key and model by default. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Sends one user message. */
  say(content: string, more?: Readonly<Record<string, unknown>>): Promise<Response>
  makeAgent(options?: AgentOptions): Promise<{ id: string; app_name_id: string; key: string }>
  /**
   * Starts a real server on loopback, which stops with the suite.
   *
   * @returns its base URL, with `/api/v1`
   */
  listen(): Promise<string>
}

export interface AgentOptions {
  readonly owner?: Person
  readonly name?: string
  readonly model?: string
}

export interface ChatServiceOptions {
  readonly model?: ModelServerOptions
  readonly server?: ModelServer
  readonly plan?: Plan
  readonly environment?: Readonly<Record<string, string>>
}

export type OpenChat = (options?: ChatServiceOptions) => Promise<ChatService>

/** Runs a suite against the chat surface on SQLite and on PostgreSQL. */
export function describeChat(title: string, define: (open: OpenChat) => void): void {
  describeInstance(title, (openInstance) => {
    const stops: (() => Promise<void> | void)[] = []
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop()
    })
    define((options = {}) => openChat(openInstance, options, (stop) => stops.push(stop)))
  })
}

async function openChat(
  openInstance: OpenInstance,
  options: ChatServiceOptions,
  atEnd: (stop: () => Promise<void> | void) => void,
): Promise<ChatService> {
  const model = options.server ?? (await startModelServer(options.model))
  atEnd(() => model.stop())
  const instance = await openInstance({
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: model.baseUrl,
    DEFAULT_MODEL: 'openai/mock',
    ...options.environment,
  })
  const owner = await instance.person(options.plan === undefined ? {} : { plan: options.plan })
  const makeAgent = async (wanted: AgentOptions = {}) => {
    const { ctx } = instance
    const person = wanted.owner ?? owner
    const settings = { name: wanted.name ?? 'Helper', model: wanted.model ?? 'openai/mock' }
    const agent = await createAgent(ctx, person, settings)
    const { key } = await createAgentKey(ctx, person, {
      kind: 'chat',
      appId: agent.id,
      name: 'test',
    })
    return { id: agent.id, app_name_id: agent.appNameId, key }
  }
  const { key, ...agent } = await makeAgent()
  const app = new Hono().route('/api/v1', chatSurface(instance.ctx))
  app.onError((error) => new Response(error.message, { status: 599 }))
  const post: ChatService['post'] = async (body, headers = {}) =>
    await app.request('/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    ...instance,
    model,
    owner,
    agent,
    key,
    app,
    makeAgent,
    post,
    say: (content, more = {}) =>
      post({ model: agent.app_name_id, messages: [{ role: 'user', content }], ...more }),
    listen: () => listen(app, atEnd),
  }
}

async function listen(app: Hono, atEnd: (stop: () => void) => void): Promise<string> {
  const answer = getRequestListener(app.fetch)
  const server: Server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server listening on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
}

/** The parsed JSON of each `data:` frame of an event stream; `[DONE]` stays a string. */
export async function readFrames(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text()
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? { done: true } : JSON.parse(data)))
}

/** The fields of a chat answer or error that tests read. */
export interface ChatAnswer {
  readonly chatSessionId: string
  readonly error: string
  readonly choices: readonly [
    { readonly message: { readonly content: string; readonly citations?: readonly unknown[] } },
  ]
}

export async function answerOf(response: Response | Promise<Response>): Promise<ChatAnswer> {
  // The tests of the response format compare the whole body. The others read these fields.
  return (await (await response).json()) as ChatAnswer
}
