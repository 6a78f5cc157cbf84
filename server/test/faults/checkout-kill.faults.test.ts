import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley, type Environment } from '#test/support/processes/parley-process.ts'
import {
  startStripeServer,
  webhookSecret,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { kill, letTimePass } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 20)
const checkoutsPerRound = 6
/** A failed attempt is repeated a minute later. */
const patienceMs = 300_000

describeEngines('kill -9 during payments', (engine) => {
  cleansUp()

  test(
    `${rounds} times: every session is open, or completed with its one order and its one charge`,
    { timeout: 600_000 + rounds * 15_000 },
    async () => {
      const model = await startModelServer()
      const stripe = await startStripeServer()
      stripe.answerMs = 15
      const environment: Environment = {
        ...serviceEnvironment(engine.settings(), model),
        PAYMENTS: 'stripe',
        STRIPE_SECRET_KEY: 'sk_test_of_nobody',
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_BASE: stripe.baseUrl,
        // A payment that a busy machine delays for longer would count as in doubt.
        PAYMENT_TIMEOUT_MS: '30000',
      }
      const db = engine.database()
      const shop = await makeShop(environment)
      const wholeMs = await timeWhole(environment, shop, db)
      const answered = new Map<string, string>()
      let broken = 0
      for (let round = 0; round < rounds; round += 1) {
        // The kills are spread over the whole duration of an undisturbed round, which depends on
        // the machine.
        const killAfterMs = ((round + Math.random()) / rounds) * wholeMs
        broken += await payAndKill(environment, shop, db, answered, () => sleep(killAfterMs))
      }
      // If no kill interrupted a complete, kills once during a request to the provider.
      const isAsked = () => until('the provider receives the request', () => stripe.answering() > 0)
      if (broken === 0) broken += await payAndKill(environment, shop, db, answered, isAsked)
      expect(broken, 'interrupted completes').toBeGreaterThan(0)
      await letTimePass(db)
      const startedAt = performance.now()
      const last = await startParley(environment)
      const isSettled = async () => (await countUnsettled(db)) === 0
      await until('jobs have resolved the remaining payments', isSettled, {
        patienceMs,
        everyMs: 100,
      })
      const settledAfterMs = performance.now() - startedAt
      await expectWhole(db, stripe, answered)
      recordFault({
        fault: 'kill -9 during payments: every order has its one charge',
        engine: engine.name,
        tries: rounds * checkoutsPerRound,
        lost: 0,
        failed: broken,
        healthyAfterMs: settledAfterMs,
      })
      last.signal('SIGTERM')
      await last.finished
      await stripe.stop()
      await model.stop()
    },
  )
})

type Shop = Awaited<ReturnType<typeof makeShop>>

/** The duration of a round without a kill. Its orders are counted too. */
async function timeWhole(environment: Environment, shop: Shop, db: Database): Promise<number> {
  const service = await startParley(environment)
  const client = shopper(service.origin, await shop.newKey(), shop.productId)
  const ids = await Promise.all(Array.from({ length: checkoutsPerRound }, () => client.open()))
  const startedAt = performance.now()
  const statuses = await Promise.all(
    ids.map(async (id, index) => {
      await sleep(index * 5)
      return await client.complete(id)
    }),
  )
  const wholeMs = performance.now() - startedAt
  expect(statuses).toEqual(ids.map(() => 'completed'))
  await kill(service, db)
  return wholeMs
}

/** Kills the service while six sessions are completed. Returns how many got no response. */
async function payAndKill(
  environment: Environment,
  shop: Shop,
  db: Database,
  answered: Map<string, string>,
  untilKill: () => Promise<void>,
): Promise<number> {
  // The payments left by the last kill are resolved during the new round, which is killed too.
  await letTimePass(db)
  const service = await startParley(environment)
  const client = shopper(service.origin, await shop.newKey(), shop.productId)
  const ids = await Promise.all(Array.from({ length: checkoutsPerRound }, () => client.open()))
  let broken = 0
  const completes = ids.map(async (id, index) => {
    await sleep(index * 5)
    try {
      answered.set(id, await client.complete(id))
    } catch {
      broken += 1 // The process is dead: the outcome is unknown.
    }
  })
  await untilKill()
  await kill(service, db)
  await Promise.all(completes)
  return broken
}

async function makeShop(environment: Environment) {
  const call = (operation: string, input: object): Promise<{ id: string; key: string }> =>
    callOperation(environment, operation, input)
  const agent = await call('create_app', { name: 'TestCheckout', model: 'openai/mock' })
  const goods = { name: 'Book', price_amount: 990, fulfillment_type: 'digital', stock: 10_000 }
  const product = await call('upsert_product', { app_id: agent.id, ...goods })
  return {
    productId: product.id,
    // A new key for each round, because of the limit of sixty requests a minute.
    newKey: async () => (await call('create_acp_key', { app_id: agent.id })).key,
  }
}

function shopper(origin: string, key: string, productId: string) {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${origin}/acp${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string; status: string } // A session.
  }
  return {
    async open() {
      const line_items = [{ product_id: productId, quantity: 1 }]
      return (await post('/checkout_sessions', { line_items, buyer: { email: 'a@example.com' } }))
        .id
    },
    async complete(id: string) {
      const payment_data = { instrument: { credential: { type: 'spt', token: 'spt_good' } } }
      return (await post(`/checkout_sessions/${id}/complete`, { payment_data })).status
    },
  }
}

async function countUnsettled({ read }: Database): Promise<number> {
  const rows = await read
    .selectFrom('checkout_sessions')
    .select('id')
    .where('status', '=', 'complete_in_progress')
    .execute()
  return rows.length
}

/**
 * Checks that every session is consistent, acknowledged orders exist, and stock, orders and charges
 * agree.
 */
async function expectWhole(
  { read }: Database,
  stripe: StripeServer,
  answered: ReadonlyMap<string, string>,
) {
  const sessions = await read.selectFrom('checkout_sessions').select(['id', 'status']).execute()
  const orders = await read.selectFrom('orders').select(['session_id']).execute()
  const charges = [...stripe.intents.values()].map(({ metadata }) => metadata.session_id)
  const count = (list: readonly (string | undefined)[], id: string) =>
    list.filter((one) => one === id).length
  const ordered = orders.map(({ session_id }) => session_id)
  for (const { id, status } of sessions) {
    const paid = status === 'completed' ? 1 : 0
    expect(['ready_for_payment', 'completed'], id).toContain(status)
    expect([count(ordered, id), count(charges, id)], `${id} is ${status}`).toEqual([paid, paid])
    if (answered.get(id) === 'completed') expect(status).toBe('completed')
  }
  const { stock } = await read.selectFrom('products').select('stock').executeTakeFirstOrThrow()
  expect(stock).toBe(10_000 - orders.length)
}
