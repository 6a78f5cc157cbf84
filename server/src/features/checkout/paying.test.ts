import { beforeEach, expect, test } from 'vitest'
import { getProduct } from '#features/catalog/index.ts'
import { createFlakyPayments, type FlakyPayments } from '#test/support/flaky-payments.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/shop.ts'
import { notePaymentEvent } from './index.ts'

const pay = (token = 'spt_test', more = {}) => ({
  payment_data: { instrument: { credential: { type: 'spt', token } } },
  ...more,
})

describeShop('paying', (open) => {
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    payments = createFlakyPayments()
    shop = await open({ ports: { payments } })
  })

  async function ready(fields = {}, quantity = 1): Promise<{ id: string; productId: string }> {
    const product = await shop.product(fields)
    const line_items = [{ product_id: product.id, quantity }]
    const session = await sessionOf(shop.post('/checkout_sessions', { line_items, buyer }))
    expect(session.status).toBe('ready_for_payment')
    return { id: session.id, productId: product.id }
  }

  const complete = (id: string, body: object = pay(), headers = strict(), at = shop) =>
    at.post(`/checkout_sessions/${id}/complete`, body, headers)

  async function statusOf(id: string) {
    return (await sessionOf(shop.get(`/checkout_sessions/${id}`))).status
  }

  async function orders() {
    return await shop.ctx.db.read.selectFrom('orders').selectAll().execute()
  }

  async function stockOf(productId: string) {
    return (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock
  }

  test('five at once for the last one: one buys it, the others hear that it is gone', async () => {
    const product = await shop.product({ stock: 1 })
    const line_items = [{ product_id: product.id, quantity: 1 }]
    const other = await shop.process({ payments })
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const session = await sessionOf(shop.post('/checkout_sessions', { line_items, buyer }))
        return session.id
      }),
    )
    const answers = await Promise.all(
      ids.map((id, index) =>
        sessionOf(complete(id, pay(), strict(), index % 2 === 0 ? shop : other)),
      ),
    )
    expect(answers.filter(({ status }) => status === 'completed')).toHaveLength(1)
    const rest = answers.filter(({ status }) => status === 'not_ready_for_payment')
    expect(rest).toHaveLength(4)
    for (const { messages } of rest)
      expect(messages).toMatchObject([{ type: 'error', code: 'out_of_stock' }])
    expect(await stockOf(product.id)).toBe(0)
    expect(payments.charged.size).toBe(1)
    expect(await orders()).toHaveLength(1)
  })

  test.each([
    ['one key', () => 'the-key'],
    ['many keys', (index: number) => `key-${index}`],
  ])('two hundred completes at once with %s: one order, one charge', async (name, keyOf) => {
    const { id } = await ready({ stock: 9 })
    const other = await shop.process({ payments })
    const keys = await Promise.all(Array.from({ length: 4 }, () => shop.newKey()))
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        // Four API keys: one alone may ask sixty times a minute.
        const key = keys[index % 4]?.key ?? ''
        const headers = { ...strict(`${name}-${keyOf(index)}`), authorization: `Bearer ${key}` }
        return complete(id, pay(), headers, index % 2 === 0 ? shop : other)
      }),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(payments.charged.size).toBe(1)
    expect(await orders()).toHaveLength(1)
    expect(await statusOf(id)).toBe('completed')
  })

  test('complete and cancel at once: either it is paid, or nothing was charged', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await ready()
      const before = payments.charged.size
      const { key } = await shop.newKey()
      const own = { authorization: `Bearer ${key}` }
      const [paid, canceled] = await Promise.all([
        complete(id, pay(), { ...strict(), ...own }),
        shop.post(`/checkout_sessions/${id}/cancel`, {}, { ...strict(), ...own }),
      ])
      const charges = payments.charged.size - before
      const status = (await sessionOf(shop.get(`/checkout_sessions/${id}`, own))).status
      expect([
        ['completed', 1, 200],
        ['canceled', 0, 409],
      ]).toContainEqual([status, charges, paid.status])
      expect(status === 'canceled' ? [200] : [405, 409]).toContain(canceled.status)
    }
  })

  test('an answer that is lost is 503, and the same request again finds the charge', async () => {
    const { id } = await ready({ stock: 2 })
    payments.loseAnswers(1)
    const headers = strict('lost')
    const lost = await complete(id, pay(), headers)
    expect([lost.status, await lost.json()]).toMatchObject([
      503,
      { type: 'service_unavailable', code: 'payment_outcome_unknown' },
    ])
    expect(lost.headers.get('retry-after')).toBe('5')
    expect(await statusOf(id)).toBe('complete_in_progress')
    const again = await complete(id, pay(), headers)
    expect(again.status).toBe(200)
    expect(again.headers.has('idempotent-replayed')).toBe(false)
    expect((await sessionOf(again)).status).toBe('completed')
    expect(payments.charged.size).toBe(1)
    expect(await orders()).toHaveLength(1)
  })

  test('an answer that is lost for good is found by the job, and the request is answered with it', async () => {
    const { id, productId } = await ready({ stock: 2 })
    payments.loseAnswers(1)
    await complete(id, pay(), strict('left'))
    expect(await shop.work()).toBe(0)
    shop.advance(60_000)
    expect(await shop.work()).toBeGreaterThan(0)
    expect(await statusOf(id)).toBe('completed')
    expect(payments.charged.size).toBe(1)
    expect(await stockOf(productId)).toBe(1)
    const again = await complete(id, pay(), strict('left'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await sessionOf(again)).status).toBe('completed')
  })

  test('a process that dies while the provider is asked leaves nothing half done', async () => {
    const { id, productId } = await ready({ stock: 2 })
    const asked = Promise.withResolvers<void>()
    const dying = await shop.process({
      payments: {
        ...payments,
        async charge(request) {
          await payments.charge(request)
          asked.resolve()
          return await new Promise(() => undefined)
        },
      },
    })
    void complete(id, pay(), strict('dies'), dying)
    await asked.promise
    expect(await statusOf(id)).toBe('complete_in_progress')
    const early = await complete(id, pay(), strict('dies'))
    expect(early.status).toBe(409)
    shop.advance(60_000)
    const retried = await complete(id, pay(), strict('dies'))
    expect((await sessionOf(retried)).status).toBe('completed')
    await shop.work()
    expect(payments.charged.size).toBe(1)
    expect(await orders()).toHaveLength(1)
    expect(await stockOf(productId)).toBe(1)
  })

  test('while the provider is down the job keeps asking, less and less often', async () => {
    const { id } = await ready()
    payments.isDown = true
    await complete(id, pay(), strict('down'))
    for (let round = 0; round < 4; round += 1) {
      shop.advance(60 * 60_000)
      await shop.work()
    }
    expect(payments.asks).toBe(5)
    expect(await statusOf(id)).toBe('complete_in_progress')
    payments.isDown = false
    shop.advance(60 * 60_000)
    await shop.work()
    expect(await statusOf(id)).toBe('completed')
  })

  test('a charge of which there is no trace after a day was never made: the stock comes back', async () => {
    const { id, productId } = await ready({ stock: 1 })
    payments.isDown = true
    await complete(id, pay(), strict('gone'))
    expect(await stockOf(productId)).toBe(0)
    payments.isDown = false
    shop.advance(21 * 60 * 60_000)
    await shop.work()
    expect(await statusOf(id)).toBe('ready_for_payment')
    expect(await stockOf(productId)).toBe(1)
    expect(payments.charged.size).toBe(0)
  })

  test('a decline gives the stock back and says so; another method pays', async () => {
    const { id, productId } = await ready({ stock: 10 })
    const declined = await sessionOf(complete(id, pay('spt_decline')))
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ type: 'error', code: 'payment_declined', param: '$.payment_data' }],
    })
    expect(await stockOf(productId)).toBe(10)
    expect((await sessionOf(complete(id))).status).toBe('completed')
    expect(await stockOf(productId)).toBe(9)
  })

  test('a total that changed since it was shown is not charged: it is shown, then accepted', async () => {
    const { id, productId } = await ready({ price_amount: 1000 })
    await shop.product({ ...({ productId } as object), price_amount: 1100 })
    const asked = await sessionOf(complete(id))
    expect(asked.status).toBe('ready_for_payment')
    expect(asked.messages).toMatchObject([
      { type: 'warning', code: 'price_change', content: expect.stringContaining('$11.00') },
      { type: 'warning', code: 'price_change', param: '$.line_items[0]' },
    ])
    expect(payments.asks).toBe(0)
    expect((await sessionOf(complete(id))).status).toBe('completed')
  })

  test('what is missing when it is completed is told, and nothing is charged', async () => {
    const product = await shop.product()
    const line_items = [{ product_id: product.id, quantity: 1 }]
    const { id } = await sessionOf(shop.post('/checkout_sessions', { line_items }))
    const asked = await complete(id)
    expect(asked.status).toBe(200)
    expect(await sessionOf(asked)).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ type: 'error', code: 'missing', param: '$.buyer.email' }],
    })
    expect(payments.asks).toBe(0)
    expect((await sessionOf(complete(id, pay('spt_test', { buyer })))).status).toBe('completed')
  })

  test('what costs nothing needs no provider', async () => {
    const { id, productId } = await ready({ price_amount: 0, stock: 1 })
    const response = await shop.post(`/checkout_sessions/${id}/complete`)
    expect((await sessionOf(response)).status).toBe('completed')
    expect(payments.asks).toBe(0)
    expect(await stockOf(productId)).toBe(0)
  })

  test('3-D Secure: the buyer authenticates, and the same charge goes on', async () => {
    const { id, productId } = await ready({ stock: 5 })
    const waiting = await sessionOf(complete(id, pay('spt_3ds')))
    expect(waiting.status).toBe('authentication_required')
    expect(await stockOf(productId)).toBe(5)
    const without = await complete(id, pay('spt_3ds'))
    expect([without.status, await without.json()]).toMatchObject([
      400,
      { code: 'requires_3ds', param: '$.authentication_result' },
    ])
    const denied = pay('spt_3ds', { authentication_result: { outcome: 'denied' } })
    const refused = await sessionOf(complete(id, denied))
    expect(refused.status).toBe('ready_for_payment')
    await complete(id, pay('spt_3ds'))
    const good = pay('spt_3ds', { authentication_result: { outcome: 'authenticated' } })
    expect((await sessionOf(complete(id, good))).status).toBe('completed')
    expect(await stockOf(productId)).toBe(4)
    expect(payments.charged.size).toBe(1)
  })

  test('a change of the session gives up the charge that waits for authentication', async () => {
    const { id } = await ready()
    await complete(id, pay('spt_3ds'))
    const changed = await sessionOf(shop.post(`/checkout_sessions/${id}`, { order_notes: 'x' }))
    expect(changed.status).toBe('ready_for_payment')
    await shop.work()
    expect(payments.voided).toHaveLength(1)
  })

  test('a buyer who authenticates at the provider’s own page has paid', async () => {
    const { id } = await ready({ stock: 5 })
    await complete(id, pay('spt_3ds'))
    const reference = await referenceOf(id)
    const event = { paymentId: null, outcome: { status: 'succeeded', reference } } as const
    await notePaymentEvent(shop.ctx, event)
    await notePaymentEvent(shop.ctx, event)
    expect(await statusOf(id)).toBe('completed')
    expect(await orders()).toHaveLength(1)
  })

  test('money that comes too late goes back', async () => {
    const { id } = await ready()
    await complete(id, pay('spt_3ds'))
    const reference = await referenceOf(id)
    await shop.post(`/checkout_sessions/${id}/cancel`)
    const event = { paymentId: null, outcome: { status: 'succeeded', reference } } as const
    await notePaymentEvent(shop.ctx, event)
    await notePaymentEvent(shop.ctx, event)
    await shop.work()
    expect(payments.refunds).toMatchObject([{ chargeReference: reference, amountMinor: 1250 }])
    expect(await statusOf(id)).toBe('canceled')
    expect(await orders()).toEqual([])
  })

  test('an event that overtakes the lost answer completes the session', async () => {
    const { id } = await ready()
    payments.loseAnswers(1)
    await complete(id, pay(), strict('overtaken'))
    const row = await paymentOf(id)
    const outcome = { status: 'succeeded', reference: `test_${row.id}` } as const
    await notePaymentEvent(shop.ctx, { paymentId: row.id, outcome })
    expect(await statusOf(id)).toBe('completed')
    const again = await complete(id, pay(), strict('overtaken'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('an event about a payment of others is passed over', async () => {
    const outcome = { status: 'succeeded', reference: 'pi_of_others' } as const
    await notePaymentEvent(shop.ctx, { paymentId: null, outcome })
    expect(await orders()).toEqual([])
  })

  test('the token of a payment is sealed while it is needed, and gone after', async () => {
    const { id } = await ready()
    payments.loseAnswers(1)
    await complete(id, pay('spt_very_secret'), strict('sealed'))
    const row = await paymentOf(id)
    expect(row.request_sealed).not.toBeNull()
    expect(JSON.stringify(row)).not.toContain('spt_very_secret')
    await complete(id, pay('spt_very_secret'), strict('sealed'))
    expect((await paymentOf(id)).request_sealed).toBeNull()
  })

  test('a session expires with its time, for readers at once and in the rows by the job', async () => {
    const { id } = await ready()
    await complete(id, pay('spt_3ds'))
    shop.advance(shop.ctx.config.checkoutSessionTtlSeconds * 1000)
    expect(await statusOf(id)).toBe('expired')
    for (const path of ['', '/complete', '/cancel']) {
      const response = await shop.post(`/checkout_sessions/${id}${path}`, {})
      expect(response.status).toBe(path === '/cancel' ? 405 : 409)
      expect(await response.json()).toMatchObject({ error: { code: 'session_expired' } })
    }
    await runRecurring()
    await shop.work()
    const row = await shop.ctx.db.read
      .selectFrom('checkout_sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.status).toBe('expired')
    expect(payments.voided).toHaveLength(1)
  })

  /** As a starting service does. */
  async function runRecurring() {
    const { checkoutJobs } = await import('./index.ts')
    await shop.ctx.db.write(async (tx) => {
      for (const job of checkoutJobs.filter(({ everyMs }) => everyMs !== null))
        await shop.ctx.jobs.enqueue(tx, job, {}, { key: 'recurring' })
    })
  }

  async function paymentOf(sessionId: string) {
    return await shop.ctx.db.read
      .selectFrom('payments')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  }

  async function referenceOf(sessionId: string) {
    return String((await paymentOf(sessionId)).provider_reference)
  }
})
