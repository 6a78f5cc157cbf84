import { afterAll } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { updateChatPage, type ChatPageSettings } from '#features/visitors/index.ts'
import type { Plan } from '#kernel/plan.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
} from '#test/support/servers/model-server.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'

/** A visitor's browser: what the page gave to its script, and the cookie of the page. */
export interface VisitorBrowser {
  readonly token: string
  readonly cookie: string
  readonly html: string
}

/** The whole service with an agent whose chat page is switched on. */
export interface VisitorService extends TestInstance {
  readonly owner: Person
  readonly model: ModelServer
  readonly agent: { readonly id: string; readonly appNameId: string }
  readonly path: string
  /** @param from the address of the connection */
  request(path: string, init?: RequestInit, from?: string): Promise<Response>
  change(patch: Partial<ChatPageSettings>): Promise<void>
  /** Opens the page, as a new visitor or with the cookie of one. */
  visit(cookie?: string, query?: string): Promise<VisitorBrowser>
  /** A request of the page's script. */
  ask(
    token: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    from?: string,
  ): Promise<Response>
  /** Sends a message and waits for the whole answer. */
  say(token: string, text: string, conversationId?: string): Promise<readonly PublicEvent[]>
}

export interface PublicEvent {
  readonly type: string
  readonly text?: string
  readonly code?: string
  readonly conversation_id?: string
  readonly message_id?: string
  readonly confirm?: readonly unknown[]
}

interface Options {
  readonly model?: ModelServerOptions
  readonly plan?: Plan
  readonly environment?: Readonly<Record<string, string>>
  readonly page?: Partial<ChatPageSettings>
}

export function describeVisitors(
  title: string,
  define: (open: (options?: Options) => Promise<VisitorService>) => void,
): void {
  describeInstance(title, (openInstance) => {
    const stops: (() => Promise<void>)[] = []
    afterAll(async () => {
      for (const stop of stops) await stop()
    })
    define(async ({ plan, model: scripted, environment = {}, page = {} } = {}) => {
      const model = await startModelServer(scripted ?? { reply: ['Hello ', 'there.'] })
      stops.push(() => model.stop())
      const instance = await openInstance({
        OPENAI_API_KEY: 'sk-test',
        OPENAI_BASE_URL: model.baseUrl,
        DEFAULT_MODEL: 'openai/mock',
        ...environment,
      })
      const owner = await instance.person(plan === undefined ? {} : { plan })
      return await withPage(instance, { owner, model, page })
    })
  })
}

async function withPage(
  instance: TestInstance,
  { owner, model, page }: { owner: Person; model: ModelServer; page: Partial<ChatPageSettings> },
): Promise<VisitorService> {
  const { ctx } = instance
  const { id, appNameId } = await createAgent(ctx, owner, { name: 'Helper' })
  const change = async (patch: Partial<ChatPageSettings>) => {
    await updateChatPage(ctx, owner.workspaceId, id, patch)
  }
  await change({ enabled: true, ...page })
  const app = appOf(instance)
  const request = async (path: string, init?: RequestInit, from?: string) =>
    await app.request(path, init, { incoming: { socket: { remoteAddress: from } } })
  const path = `/chat/${appNameId}`
  const ask: VisitorService['ask'] = (token, below, body, headers = {}, from) => {
    const init = {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        origin: 'null',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    }
    return request(path + below, init, from)
  }
  return {
    ...instance,
    owner,
    model,
    agent: { id, appNameId },
    path,
    request,
    change,
    ask,
    async visit(cookie = '', query = '') {
      const response = await request(path + query, { headers: { cookie } })
      const html = await response.text()
      const set = response.headers.get('set-cookie') ?? ''
      const token = /"token":"([^"]+)"/.exec(html)?.[1] ?? ''
      return { token, cookie: set.split(';')[0] ?? '', html }
    },
    async say(token, text, conversationId) {
      const body = { text, conversation_id: conversationId ?? null }
      return eventsOf(await (await ask(token, '/messages', body)).text())
    },
  }
}

export function eventsOf(stream: string): readonly PublicEvent[] {
  return stream
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as PublicEvent)
}
