import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import type { ChargeOutcome, Payments } from '#platform/payments/payments.ts'
import { createTestPayments } from '#platform/payments/test-payments.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'

/** The test provider behind a gate, which the test opens to answer a charge. */
function gatedPayments() {
  const inner = createTestPayments()
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const payments: Payments = {
    ...inner,
    async charge(request): Promise<ChargeOutcome> {
      asked.resolve()
      await gate.promise
      return await inner.charge(request)
    },
  }
  return { payments, asked: asked.promise, open: () => gate.resolve() }
}

describeShop('a repeated request', (open) => {
  let shop: Shop
  let productId: string

  beforeAll(async () => {
    shop = await open()
    productId = (await shop.product()).id
  })

  const cart = (quantity = 1) => ({
    currency: 'usd',
    capabilities: {},
    line_items: [{ id: productId, quantity }],
  })

  async function countSessions() {
    const rows = await shop.ctx.db.read.selectFrom('checkout_sessions').select('id').execute()
    return rows.length
  }

  test('with the same key and body gets the same answer, marked as replayed, and has no second effect', async () => {
    const before = await countSessions()
    const headers = strict('create-1')
    const first = await shop.post('/checkout_sessions', cart(), headers)
    const again = await shop.post('/checkout_sessions', cart(), headers)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toEqual(await first.json())
    expect(await countSessions()).toBe(before + 1)
  })

  test('gets the original answer, even if the session has changed since', async () => {
    const headers = strict('create-2')
    const first = await sessionOf(shop.post('/checkout_sessions', cart(), headers))
    await shop.post(`/checkout_sessions/${first.id}`, { buyer }, strict())
    const again = await sessionOf(shop.post('/checkout_sessions', cart(), headers))
    expect(again.status).toBe('not_ready_for_payment')
    expect(again).toEqual(first)
  })

  test('gets the original answer, even if the shop has changed since', async () => {
    const headers = strict('create-before-the-terms')
    const first = await sessionOf(shop.post('/checkout_sessions', cart(), headers))
    await shop.settings({ links: { terms: 'https://shop.example/new-terms' } })
    expect(await sessionOf(shop.post('/checkout_sessions', cart(), headers))).toEqual(first)
    const now = await sessionOf(shop.get(`/checkout_sessions/${first.id}`))
    expect(now).toMatchObject({
      links: [{ type: 'terms_of_use', url: 'https://shop.example/new-terms' }],
    })
  })

  test('is recognised whatever the order of keys and the notation of numbers', async () => {
    const headers = strict('create-3')
    const one = `{"currency":"usd","capabilities":{},"line_items":[{"id":"${productId}","quantity":1}]}`
    const same = `{"line_items":[{"quantity":1.0,"id":"${productId}"}],"capabilities":{},"currency":"usd"}`
    const first = await sessionOf(shop.post('/checkout_sessions', one, headers))
    const again = await sessionOf(shop.post('/checkout_sessions', same, headers))
    expect(again.id).toBe(first.id)
  })

  test.each([
    [
      'another quantity',
      (body: object) => ({ ...body, line_items: [{ id: productId, quantity: 2 }] }),
    ],
    ['null where there was nothing', (body: object) => ({ ...body, buyer: null })],
    ['another order of a list', (body: object) => ({ ...body, discounts: { codes: ['B', 'A'] } })],
    ['a list for an object', (body: object) => ({ ...body, metadata: { gift: [] } })],
    ['pairs for an object', (body: object) => ({ ...body, capabilities: { a: [['b', 1]] } })],
  ])('with another body (%s) is a conflict', async (name, change) => {
    const headers = strict(`conflict-${name}`)
    const body = {
      ...cart(),
      capabilities: { a: { b: 1 } },
      discounts: { codes: ['A', 'B'] },
      metadata: { gift: {} },
    }
    await shop.post('/checkout_sessions', body, headers)
    const other = await shop.post('/checkout_sessions', change(body), headers)
    expect([other.status, await other.json()]).toMatchObject([
      422,
      { type: 'invalid_request', code: 'idempotency_conflict' },
    ])
  })

  test('the same key at another endpoint or with another API key is independent', async () => {
    const headers = strict('shared')
    const first = await sessionOf(shop.post('/checkout_sessions', cart(), headers))
    const update = await shop.post(`/checkout_sessions/${first.id}`, { buyer }, headers)
    expect(update.headers.has('idempotent-replayed')).toBe(false)
    const { key } = await shop.newKey()
    const other = await sessionOf(
      shop.post('/checkout_sessions', cart(), { ...headers, authorization: `Bearer ${key}` }),
    )
    expect(other.id).not.toBe(first.id)
  })

  test('is the same request under both addresses of the agent', async () => {
    const headers = strict('mounts')
    const first = await sessionOf(shop.post('/checkout_sessions', cart(), headers))
    const bare = await shop.app.request('/acp/checkout_sessions', {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(cart()),
    })
    expect((await sessionOf(bare)).id).toBe(first.id)
  })

  test('that was refused is refused again in the same way', async () => {
    const headers = strict('refused')
    const body = { ...cart(), line_items: [{ id: '00000000-0000-7000-8000-000000000000' }] }
    const first = await shop.post('/checkout_sessions', body, headers)
    const again = await shop.post('/checkout_sessions', body, headers)
    expect([again.status, await again.json()]).toEqual([400, await first.json()])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('without a body is answered under its key, and the key is checked before the body', async () => {
    const key = strict('nothing said')
    const first = await shop.post('/checkout_sessions', { order_notes: 'x' }, key)
    expect(first.status).toBe(400)
    const again = await shop.post('/checkout_sessions', { order_notes: 'x' }, key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([400, 'true'])
    expect(await again.text()).toBe(await first.text())
    const other = await shop.post('/checkout_sessions', { order_notes: 5 }, key)
    expect([other.status, await other.json()]).toMatchObject([
      422,
      { code: 'idempotency_conflict' },
    ])
  })

  test('for a session id of the maximum URL length gets not found', async () => {
    const id = randomBytes(4000).toString('hex')
    const response = await shop.post(`/checkout_sessions/${id}`, {}, strict('long-path'))
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  })

  test('is a new request after a day', async () => {
    const own = await open()
    const product = await own.product()
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }] }
    const first = await sessionOf(own.post('/checkout_sessions', body, strict('old')))
    own.advance(dayMs - 1)
    const replayed = await sessionOf(own.post('/checkout_sessions', body, strict('old')))
    expect(replayed.id).toBe(first.id)
    own.advance(1)
    const fresh = await sessionOf(own.post('/checkout_sessions', body, strict('old')))
    expect(fresh.id).not.toBe(first.id)
  })

  test('keys also work in the plain dialect, where they are optional', async () => {
    const body = { line_items: [{ product_id: productId, quantity: 1 }] }
    const key = { 'idempotency-key': 'plain-1' }
    const first = await sessionOf(shop.post('/checkout_sessions', body, key))
    expect((await sessionOf(shop.post('/checkout_sessions', body, key))).id).toBe(first.id)
    const without = await sessionOf(shop.post('/checkout_sessions', body))
    expect(without.id).not.toBe(first.id)
  })

  test('a key is at most 255 characters long', async () => {
    const fits = await shop.post('/checkout_sessions', cart(), strict('k'.repeat(255)))
    expect(fits.status).toBe(201)
    const long = await shop.post('/checkout_sessions', cart(), strict('k'.repeat(256)))
    expect([long.status, await long.json()]).toMatchObject([
      400,
      { code: 'idempotency_key_invalid' },
    ])
  })

  test('fifty at once create one session', async () => {
    const own = await open()
    const other = await own.process()
    const product = await own.product()
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }] }
    const headers = strict('burst')
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? own : other).post('/checkout_sessions', body, headers),
      ),
    )
    const ids = new Set(await Promise.all(responses.map(async (one) => (await sessionOf(one)).id)))
    expect(responses.every(({ status }) => status === 201)).toBe(true)
    expect(ids.size).toBe(1)
    const rows = await own.ctx.db.read.selectFrom('checkout_sessions').select('id').execute()
    expect(rows).toHaveLength(1)
  })

  test('is refused while the first is being paid', async () => {
    const gate = gatedPayments()
    const own = await open({ ports: { payments: gate.payments } })
    const product = await own.product()
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }], buyer }
    const { id } = await sessionOf(own.post('/checkout_sessions', body, strict()))
    const path = `/checkout_sessions/${id}/complete`
    const pay = { payment_data: { instrument: { credential: { token: 'spt_test' } } } }
    const headers = strict('complete-1')
    const first = own.post(path, pay, headers)
    await gate.asked
    const waiting = await own.post(path, pay, headers)
    expect([waiting.status, await waiting.json()]).toMatchObject([
      409,
      { type: 'invalid_request', code: 'idempotency_in_flight' },
    ])
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await own.post(path, pay, strict('complete-2'))
    expect([other.status, await other.json()]).toMatchObject([409, { code: 'payment_in_progress' }])
    const cancel = await own.post(`/checkout_sessions/${id}/cancel`, {}, strict())
    expect([cancel.status, await cancel.json()]).toMatchObject([
      409,
      { code: 'payment_in_progress' },
    ])
    gate.open()
    const paid = await sessionOf(first)
    expect(paid.status).toBe('completed')
    const replay = await own.post(path, pay, headers)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(await replay.json()).toEqual(paid)
    const late = await own.post(path, pay, strict('complete-2'))
    expect([late.status, await late.json()]).toMatchObject([409, { code: 'session_completed' }])
  })
})
