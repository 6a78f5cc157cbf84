import { beforeEach, expect, test } from 'vitest'
import type { FlakyPayments } from '#test/support/commerce/flaky-payments.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { openTestCheckout, pay, type TestCheckout } from '#test/support/commerce/test-checkout.ts'

describeShop('paying once', (open) => {
  let checkout: TestCheckout
  let shop: Shop
  let payments: FlakyPayments

  beforeEach(async () => {
    checkout = await openTestCheckout(open)
    ;({ shop, payments } = checkout)
  })

  test('five buyers for the last item: one buys it, the others see that it is sold out', async () => {
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
        sessionOf(checkout.complete(id, pay(), strict(), index % 2 === 0 ? shop : other)),
      ),
    )
    expect(answers.filter(({ status }) => status === 'completed')).toHaveLength(1)
    const rest = answers.filter(({ status }) => status === 'not_ready_for_payment')
    expect(rest).toHaveLength(4)
    for (const { messages } of rest)
      expect(messages).toMatchObject([{ type: 'error', code: 'out_of_stock' }])
    expect(await checkout.stockOf(product.id)).toBe(0)
    expect(payments.charged.size).toBe(1)
    expect(await checkout.orders()).toHaveLength(1)
  })

  test.each([
    ['one key', () => 'the-key'],
    ['many keys', (index: number) => `key-${index}`],
  ])('two hundred completes at once with %s: one order, one charge', async (name, keyOf) => {
    const { id } = await checkout.ready({ stock: 9 })
    const other = await shop.process({ payments })
    const keys = await Promise.all(Array.from({ length: 4 }, () => shop.newKey()))
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        // Four API keys: one alone may ask sixty times a minute.
        const key = keys[index % 4]?.key ?? ''
        const headers = { ...strict(`${name}-${keyOf(index)}`), authorization: `Bearer ${key}` }
        return checkout.complete(id, pay(), headers, index % 2 === 0 ? shop : other)
      }),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(payments.charged.size).toBe(1)
    expect(await checkout.orders()).toHaveLength(1)
    expect((await checkout.session(id)).status).toBe('completed')
  })

  test('complete and cancel at once: either the session is paid, or nothing is charged', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await checkout.ready()
      const before = payments.charged.size
      const { key } = await shop.newKey()
      const own = { authorization: `Bearer ${key}` }
      const [paid, canceled] = await Promise.all([
        checkout.complete(id, pay(), { ...strict(), ...own }),
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

  test('a lost answer is 503, and the same request again finds the charge', async () => {
    const { id } = await checkout.ready({ stock: 2 })
    payments.loseAnswers(1)
    const headers = strict('lost')
    const lost = await checkout.complete(id, pay(), headers)
    expect([lost.status, await lost.json()]).toMatchObject([
      503,
      { type: 'service_unavailable', code: 'payment_outcome_unknown' },
    ])
    expect(lost.headers.get('retry-after')).toBe('5')
    expect((await checkout.session(id)).status).toBe('complete_in_progress')
    const again = await checkout.complete(id, pay(), headers)
    expect(again.status).toBe(200)
    expect(again.headers.has('idempotent-replayed')).toBe(false)
    expect((await sessionOf(again)).status).toBe('completed')
    expect(payments.charged.size).toBe(1)
    expect(await checkout.orders()).toHaveLength(1)
  })

  test('the job finds the outcome of a lost answer, and a retry gets it', async () => {
    const { id, productId } = await checkout.ready({ stock: 2 })
    payments.loseAnswers(1)
    await checkout.complete(id, pay(), strict('left'))
    expect(await shop.work()).toBe(0)
    shop.advance(60_000)
    expect(await shop.work()).toBeGreaterThan(0)
    expect((await checkout.session(id)).status).toBe('completed')
    expect(payments.charged.size).toBe(1)
    expect(await checkout.stockOf(productId)).toBe(1)
    const again = await checkout.complete(id, pay(), strict('left'))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await sessionOf(again)).status).toBe('completed')
  })

  test('a process that dies during the provider call leaves nothing half done', async () => {
    const { id, productId } = await checkout.ready({ stock: 2 })
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
    void checkout.complete(id, pay(), strict('dies'), dying)
    await asked.promise
    expect((await checkout.session(id)).status).toBe('complete_in_progress')
    const early = await checkout.complete(id, pay(), strict('dies'))
    expect(early.status).toBe(409)
    shop.advance(60_000)
    const retried = await checkout.complete(id, pay(), strict('dies'))
    expect((await sessionOf(retried)).status).toBe('completed')
    await shop.work()
    expect(payments.charged.size).toBe(1)
    expect(await checkout.orders()).toHaveLength(1)
    expect(await checkout.stockOf(productId)).toBe(1)
  })

  test('while the provider is down, the job retries with growing pauses', async () => {
    const { id } = await checkout.ready()
    payments.isDown = true
    await checkout.complete(id, pay(), strict('down'))
    for (let round = 0; round < 4; round += 1) {
      shop.advance(60 * 60_000)
      await shop.work()
    }
    expect(payments.asks).toBe(5)
    expect((await checkout.session(id)).status).toBe('complete_in_progress')
    payments.isDown = false
    shop.advance(60 * 60_000)
    await shop.work()
    expect((await checkout.session(id)).status).toBe('completed')
  })

  test('a charge without a trace after a day was never made: the stock is returned', async () => {
    const { id, productId } = await checkout.ready({ stock: 1 })
    payments.isDown = true
    await checkout.complete(id, pay(), strict('gone'))
    expect(await checkout.stockOf(productId)).toBe(0)
    payments.isDown = false
    shop.advance(21 * 60 * 60_000)
    await shop.work()
    expect((await checkout.session(id)).status).toBe('ready_for_payment')
    expect(await checkout.stockOf(productId)).toBe(1)
    expect(payments.charged.size).toBe(0)
  })
})
