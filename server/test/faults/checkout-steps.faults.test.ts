import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { freePort } from '#test/support/free-port.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley, type Environment } from '#test/support/processes/parley-process.ts'
import {
  startStripeServer,
  webhookSecret,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts'
import { until } from '#test/support/until.ts'
import { lockWrites } from '#test/support/databases/write-lock.ts'
import { callOperation } from './call-operation.ts'
import { letTimePass, untilForgotten } from './kill.ts'
import { steps, type Scene, type Step } from './checkout-steps.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

/** The steps are deterministic, so a short run needs only one round. */
const asked = Number(process.env.FAULT_ROUNDS ?? 20)
const rounds = asked < 20 ? 1 : asked

const cases = Array.from({ length: rounds }, (_, round) =>
  steps.map((step, index): [string, Step, 'a job' | 'the repetition'] => [
    step.name,
    step,
    (round + index) % 2 === 0 ? 'a job' : 'the repetition',
  ]),
).flat()

describeEngines('kill -9 at a step of complete', (engine) => {
  cleansUp()
  let model: ModelServer
  let stripe: StripeServer
  let receiver: WebhookReceiver
  let environment: Environment
  let checkout: TestCheckout

  beforeAll(async () => {
    model = await startModelServer()
    stripe = await startStripeServer()
    receiver = await startWebhookReceiver()
    environment = {
      ...serviceEnvironment(engine.settings(), model),
      // The same for every start, because an answer contains the address of the order's page.
      PORT: String(await freePort()),
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_of_nobody',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: stripe.baseUrl,
      // A payment that a busy machine delays for longer would count as in doubt.
      PAYMENT_TIMEOUT_MS: '30000',
      OUTBOUND_ALLOW_PRIVATE: receiver.host,
    }
    checkout = await openTestCheckout(environment, receiver)
  })
  afterAll(() => Promise.all([model.stop(), stripe.stop(), receiver.stop()]))

  const chargesOf = (id: string) =>
    [...stripe.intents.values()].filter(({ metadata }) => metadata.session_id === id)

  async function find(db: Database, id: string) {
    const session = await db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return {
      status: session.status,
      charges: chargesOf(id).length,
      orders: (await ordersOf(db, id)).length,
    }
  }

  test.each(cases)(
    '%s: one charge, one order, one answer',
    async (name, step, settledBy) => {
      const db = engine.database()
      const stockBefore = await checkout.stock(db)
      const service = await startParley(environment)
      const key = await checkout.newKey()
      const shopper = checkout.shopper(service.origin, key)
      const id = await shopper.open()
      const scene: Scene = {
        service,
        stripe,
        receiver,
        complete: () => shopper.complete(id, name),
        lockWrites: () => lockWrites(engine.settings()),
        isCommitted: async () => (await ordersOf(db, id)).length > 0,
      }
      const got = await step.stop(scene)
      stripe.watch = () => Promise.resolve('continue')
      receiver.watch = () => Promise.resolve('continue')
      await untilForgotten(db)
      expect(await find(db, id)).toEqual(step.found)

      await letTimePass(db)
      const startedAt = performance.now()
      const next = await startParley(environment)
      const again = checkout.shopper(next.origin, key)
      const isUnsettled = step.found.status === 'complete_in_progress'
      if (isUnsettled && settledBy === 'a job') await until('a job resolves it', scene.isCommitted)
      const answer = await again.repeat(id, name)
      const healthyAfterMs = performance.now() - startedAt
      expect(answer.status).toBe('completed')
      if (got !== null) expect(answer.text).toBe(got)
      const third = await again.repeat(id, name)
      expect([third.text, third.replayed]).toEqual([answer.text, true])
      expect(await find(db, id)).toEqual({ status: 'completed', charges: 1, orders: 1 })
      expect(await checkout.stock(db)).toBe(stockBefore - 1)
      const fault = 'kill -9 at each step of a payment: one charge, one order'
      recordFault({ fault, engine: engine.name, tries: 1, lost: 0, failed: 1, healthyAfterMs })

      await until('the agent receives the webhook', () => isDelivered(db, id))
      const tellings = receiver.received.filter(({ body }) => body.includes(id))
      expect(new Set(tellings.map(({ headers }) => headers['request-id'])).size).toBe(1)
      expect(tellings.map(({ body }) => JSON.parse(body).type)).toContain('order_create')
      next.signal('SIGTERM')
      await next.finished
    },
    600_000,
  )
})

type TestCheckout = Awaited<ReturnType<typeof openTestCheckout>>

async function openTestCheckout(environment: Environment, receiver: WebhookReceiver) {
  const call = (operation: string, input: object): Promise<{ id: string; key: string }> =>
    callOperation(environment, operation, input)
  const { id: app_id } = await call('create_app', { name: 'TestCheckout', model: 'openai/mock' })
  const goods = { name: 'Book', price_amount: 990, fulfillment_type: 'digital', stock: 10_000 }
  const product = await call('upsert_product', { app_id, ...goods })
  await call('create_webhook_endpoint', { app_id, url: receiver.url })
  return {
    // A new key for each step, because of the limit of sixty requests a minute.
    newKey: async () => (await call('create_acp_key', { app_id })).key,
    shopper: (origin: string, key: string) => shopper(origin, key, product.id),
    async stock({ read }: Database): Promise<number> {
      const row = await read
        .selectFrom('products')
        .select('stock')
        .where('id', '=', product.id)
        .executeTakeFirstOrThrow()
      return Number(row.stock)
    },
  }
}

function shopper(origin: string, key: string, productId: string) {
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}/acp/checkout_sessions${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const payment_data = { instrument: { credential: { type: 'spt', token: 'spt_good' } } }
  const complete = (id: string, name: string) =>
    post(`/${id}/complete`, { payment_data }, { 'idempotency-key': name })
  return {
    async open(): Promise<string> {
      const line_items = [{ product_id: productId, quantity: 1 }]
      const response = await post('', { line_items, buyer: { email: 'a@example.com' } })
      return ((await response.json()) as { id: string }).id // A session.
    },
    async complete(id: string, name: string): Promise<string | null> {
      try {
        const response = await complete(id, name)
        return response.status === 200 ? await response.text() : null
      } catch {
        return null // The process is dead: the client got no response.
      }
    },
    /** Repeats the same request until it is no longer in progress or unavailable. */
    async repeat(id: string, name: string) {
      for (;;) {
        const response = await complete(id, name)
        const text = await response.text()
        if (response.status === 409 || response.status === 503) {
          await sleep(500)
          continue
        }
        const replayed = response.headers.get('idempotent-replayed') === 'true'
        return { text, replayed, status: (JSON.parse(text) as { status: string }).status }
      }
    },
  }
}

function ordersOf({ read }: Database, sessionId: string) {
  return read.selectFrom('orders').select('id').where('session_id', '=', sessionId).execute()
}

async function isDelivered(db: Database, sessionId: string): Promise<boolean> {
  const [order] = await ordersOf(db, sessionId)
  const rows = await db.read
    .selectFrom('webhook_deliveries')
    .select('status')
    .where('order_id', '=', order?.id ?? '')
    .execute()
  return rows.length === 1 && rows[0]?.status === 'delivered'
}
