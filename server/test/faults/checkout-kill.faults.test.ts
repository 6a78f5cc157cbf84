import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/engines.ts'
import { startModelServer } from '#test/support/model-server.ts'
import { cleansUp, parley, startParley, type Environment } from '#test/support/parley-process.ts'
import { startStripeServer, webhookSecret, type StripeServer } from '#test/support/stripe-server.ts'
import { serviceEnvironment } from './service-environment.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 20)
const checkoutsPerRound = 6
/** Jobs settle what a dead process left: eleven seconds later, or a minute after a try that failed. */
const patienceMs = 100_000

describeEngines('kill -9 in the middle of paying', (engine) => {
  cleansUp()

  test(
    `${rounds} times: every session is open, or completed with its one order and its one charge`,
    { timeout: 180_000 + rounds * 15_000 },
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
        PAYMENT_TIMEOUT_MS: '1000',
      }
      const shop = await makeShop(environment)
      const wholeMs = await timeWhole(environment, shop)
      const answered = new Map<string, string>()
      let broken = 0
      // More rounds where no kill has hit a payment yet: such a test would show nothing.
      for (let round = 0; round < rounds || (broken === 0 && round < rounds + 10); round += 1) {
        // Over all of the time that it takes unharmed, however slow the machine is.
        const killAfterMs = (((round % rounds) + Math.random()) / rounds) * wholeMs
        broken += await payAndKill(environment, shop, killAfterMs, answered)
      }
      const last = await startParley(environment)
      await expect
        .poll(() => countUnsettled(engine.database()), { timeout: patienceMs, interval: 200 })
        .toBe(0)
      await expectWhole(engine.database(), stripe, answered)
      expect(broken).toBeGreaterThan(0)
      last.signal('SIGTERM')
      await last.finished
      await stripe.stop()
      await model.stop()
    },
  )
})

type Shop = Awaited<ReturnType<typeof makeShop>>

/** How long a round takes that nobody kills; its orders count as well. */
async function timeWhole(environment: Environment, shop: Shop): Promise<number> {
  const service = await startParley(environment)
  const client = shopper(service.baseUrl, await shop.newKey(), shop.productId)
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
  service.signal('SIGKILL')
  await service.finished
  return wholeMs
}

/** Kills the service while six sessions are completed; answers how many got no answer. */
async function payAndKill(
  environment: Environment,
  shop: Shop,
  killAfterMs: number,
  answered: Map<string, string>,
): Promise<number> {
  const service = await startParley(environment)
  const client = shopper(service.baseUrl, await shop.newKey(), shop.productId)
  const ids = await Promise.all(Array.from({ length: checkoutsPerRound }, () => client.open()))
  let broken = 0
  const completes = ids.map(async (id, index) => {
    await sleep(index * 5)
    try {
      answered.set(id, await client.complete(id))
    } catch {
      broken += 1 // The process is gone: nobody knows.
    }
  })
  await sleep(killAfterMs)
  service.signal('SIGKILL')
  await service.finished
  await Promise.all(completes)
  return broken
}

async function makeShop(environment: Environment) {
  const call = async (operation: string, input: object) => {
    const args = ['call', operation, JSON.stringify(input)]
    const { code, stdout, stderr } = await parley(args, environment)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as { id: string; key: string } // as these operations answer
  }
  const agent = await call('create_app', { name: 'Till', model: 'openai/mock' })
  const goods = { name: 'Book', price_amount: 990, fulfillment_type: 'digital', stock: 10_000 }
  const product = await call('upsert_product', { app_id: agent.id, ...goods })
  return {
    productId: product.id,
    // A key of its own for each round: sixty requests a minute would end the test early.
    newKey: async () => (await call('create_acp_key', { app_id: agent.id })).key,
  }
}

function shopper(baseUrl: string, key: string, productId: string) {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${baseUrl.replace('localhost', '127.0.0.1')}/acp${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string; status: string } // a session
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

/** Every session is whole, what was acknowledged stands, and stock, orders and charges agree. */
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
