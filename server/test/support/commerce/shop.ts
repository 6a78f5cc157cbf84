import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { createAgentKey } from '#features/api-keys/index.ts'
import {
  updateCommerceSettings,
  upsertProduct,
  type CommercePatch,
  type Product,
  type ProductPatch,
} from '#features/catalog/index.ts'
import { checkoutJobs } from '#features/checkout/index.ts'
import { settleRefundInDoubt } from '#features/payments/index.ts'
import { deliverWebhook } from '#features/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { acpSurface } from '#surfaces/acp/index.ts'
import { hooksSurface } from '#surfaces/hooks/index.ts'
import {
  describeInstance,
  type TestInstance,
  type OpenInstance,
  type Person,
} from '#test/support/test-instance.ts'

/**
 * The commerce surfaces with the whole context, one agent that sells products, and its checkout
 * key.
 */
export interface Shop extends TestInstance {
  readonly owner: Person
  readonly agent: Agent
  readonly keyId: string
  readonly key: string
  readonly app: Hono
  product(fields?: ProductPatch): Promise<Product>
  settings(patch: CommercePatch): Promise<unknown>
  newKey(options?: { readonly expiresAt?: number }): Promise<{ id: string; key: string }>
  anotherShop(owner?: Person): Promise<{ agent: Agent; key: string }>
  /** A GET under the agent's address, with its key. */
  get(path: string, headers?: Headers_): Promise<Response>
  /** A POST under the agent's address, with its key. */
  post(path: string, body?: unknown, headers?: Headers_): Promise<Response>
  /** Runs the jobs that are due. */
  work(): Promise<number>
  /** A second service on the same database, like another process, optionally with other ports. */
  process(ports?: Partial<Context>): Promise<Shop>
  /** Starts a real server on loopback, which stops with the suite. @returns its base URL */
  listen(): Promise<string>
}

type Headers_ = Readonly<Record<string, string>>

export interface ShopOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: Partial<Context>
}

export type OpenShop = (options?: ShopOptions) => Promise<Shop>

/** Runs a suite against the commerce surfaces on SQLite and on PostgreSQL. */
export function describeShop(title: string, define: (open: OpenShop) => void): void {
  describeInstance(title, (openInstance) => {
    const stops: (() => void)[] = []
    afterAll(() => {
      for (const stop of stops.toReversed()) stop()
    })
    define((options = {}) => openShop(openInstance, options, (stop) => stops.push(stop)))
  })
}

async function openShop(
  openInstance: OpenInstance,
  { environment = {}, ports = {} }: ShopOptions,
  atEnd: (stop: () => void) => void,
): Promise<Shop> {
  const instance = await openInstance({ BASE_URL: 'https://parley.example', ...environment })
  const owner = await instance.person()
  const agent = await createAgent(instance.ctx, owner, { name: 'Corner shop' })
  const issued = await createAgentKey(instance.ctx, owner, {
    kind: 'acp',
    appId: agent.id,
    name: 'test',
  })
  return shopOn(instance, { owner, agent, keyId: issued.id, key: issued.key }, ports, atEnd)
}

const commerceJobs = [...checkoutJobs, settleRefundInDoubt, deliverWebhook]

type Tenant = Pick<Shop, 'owner' | 'agent' | 'keyId' | 'key'>

function shopOn(
  instance: TestInstance,
  tenant: Tenant,
  ports: Partial<Context>,
  atEnd: (stop: () => void) => void,
): Shop {
  const ctx: Context = { ...instance.ctx, ...ports }
  const app = new Hono().route('/', acpSurface(ctx)).route('/', hooksSurface(ctx))
  const { owner, agent, key } = tenant
  const ask = async (path: string, init: RequestInit) =>
    await app.request(`/acp/${agent.id}${path}`, init)
  return {
    ...instance,
    ...tenant,
    ctx,
    app,
    product: (fields = {}) =>
      upsertProduct(ctx, owner.workspaceId, agent.id, {
        name: 'Teapot',
        price_amount: 1250,
        fulfillment_type: 'digital',
        ...fields,
      }),
    settings: (patch) => updateCommerceSettings(ctx, owner.workspaceId, agent.id, patch),
    newKey: (options = {}) =>
      createAgentKey(ctx, owner, { kind: 'acp', appId: agent.id, name: 'x', ...options }),
    async anotherShop(person = owner) {
      const another = await createAgent(ctx, person, { name: 'Other shop' })
      const issued = await createAgentKey(ctx, person, {
        kind: 'acp',
        appId: another.id,
        name: 'x',
      })
      return { agent: another, key: issued.key }
    },
    get: (path, headers = {}) =>
      ask(path, { headers: { authorization: `Bearer ${key}`, ...headers } }),
    post: (path, body = {}, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    // Every test context has a queue.
    work: () => createJobRunner(ctx, ctx.jobs as JobQueue, commerceJobs).runDue(),
    async process(other = {}) {
      return shopOn(await instance.again(), tenant, other, atEnd)
    },
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The fields of a session that tests read. */
export interface SessionBody {
  readonly id: string
  readonly status: string
  readonly currency: string
  readonly line_items: readonly {
    readonly id: string
    readonly quantity: number
    readonly unit_amount: number
    readonly item: { readonly id: string }
    readonly totals: readonly Total[]
  }[]
  readonly totals: readonly Total[]
  readonly messages: readonly {
    readonly type: string
    readonly code?: string
    readonly param?: string
    readonly content: string
  }[]
  readonly fulfillment_options: readonly { readonly id: string; readonly type: string }[]
  readonly selected_fulfillment_options: readonly {
    readonly type: string
    readonly option_id: string
    readonly item_ids: readonly string[]
  }[]
  readonly order?: { readonly id: string; readonly permalink_url: string; readonly status: string }
  readonly authentication_metadata?: unknown
  readonly discounts?: {
    readonly applied: readonly { readonly code: string; readonly amount: number }[]
    readonly rejected: readonly { readonly code: string; readonly reason: string }[]
  }
}

export interface Total {
  readonly type: string
  readonly amount: number
}

export async function sessionOf(response: Response | Promise<Response>): Promise<SessionBody> {
  // The suites of the response format validate the whole body. The others read these fields.
  return (await (await response).json()) as SessionBody
}

export function amountOf(totals: readonly Total[], type: string): number | undefined {
  return totals.find((total) => total.type === type)?.amount
}

export const buyer = { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' }

export const address = {
  name: 'Ada Byron',
  line_one: '1 Test Street',
  city: 'Portland',
  state: 'OR',
  country: 'US',
  postal_code: '97201',
}

/** Headers of the versioned dialect. Each call has a new Idempotency-Key. */
let requests = 0
export function strict(key?: string): Headers_ {
  requests += 1
  return { 'api-version': '2026-04-17', 'idempotency-key': key ?? `request-${requests}` }
}
