import { Stripe } from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { protocolValidator, schemasAbsent } from '#test/support/commerce/acp-schemas.ts'
import { openOrderShop, type OrderShop } from '#test/support/commerce/order-shop.ts'
import { describeShop, type Shop } from '#test/support/commerce/shop.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts'

describeShop('order webhooks', (open) => {
  let desk: OrderShop
  let shop: Shop
  let receiver: WebhookReceiver

  beforeAll(async () => {
    receiver = await startWebhookReceiver()
  })
  afterAll(() => receiver.stop())
  beforeEach(async () => {
    receiver.received.length = 0
    receiver.status = 200
    desk = await openOrderShop(open, { OUTBOUND_ALLOW_PRIVATE: receiver.host })
    shop = desk.shop
  })

  async function endpoint() {
    return await desk.call<{ id: string; secret: string }>('create_webhook_endpoint', {
      app_id: shop.agent.id,
      url: receiver.url,
    })
  }

  async function deliveries() {
    const { items } = await desk.call<{
      items: { id: string; status: string; attempts: number }[]
    }>('list_webhook_deliveries', { app_id: shop.agent.id })
    return items
  }

  test('of their creation and of every change, with the whole order, signed', async () => {
    const { secret } = await endpoint()
    const { id } = await desk.paid()
    await desk.call('fulfill_order', { id, tracking_number: 'T1' })
    await desk.call('refund_order', { id, amount: 100 })
    await shop.work()
    const events = receiver.received.map(
      ({ body }) => JSON.parse(body) as { type: string; data: { status: string } },
    )
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'order_create',
      'order_update',
      'order_update',
      'order_update',
    ])
    const isOrder = schemasAbsent === null ? protocolValidator('Order') : () => undefined
    for (const { data } of events) {
      isOrder(data)
      expect(data).toMatchObject({ type: 'order', id })
    }
    // The stripe package checks signatures of this form: an independent check of ours.
    const { webhooks } = new Stripe('sk_test_x')
    for (const { headers, body } of receiver.received) {
      const signature = String(headers['merchant-signature'])
      expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
      const at = Math.floor(shop.ctx.clock.now() / 1000)
      const check = (text: string) =>
        webhooks.constructEvent(text, signature, secret, 300, undefined, at)
      expect(() => check(body)).not.toThrow()
      expect(() => check(`${body} `)).toThrow()
      expect(Date.parse(String(headers.timestamp))).toBe(shop.ctx.clock.now())
    }
    expect((await deliveries()).every(({ status }) => status === 'delivered')).toBe(true)
  })

  test('are retried under one id while the endpoint does not respond, and finally fail', async () => {
    await endpoint()
    receiver.status = 500
    await desk.paid()
    await shop.work()
    for (const minutes of [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60]) {
      shop.advance(minutes * 60_000 - 1)
      await shop.work()
      expect((await deliveries())[0]?.status).toBe('pending')
      shop.advance(1)
      await shop.work()
    }
    expect(await deliveries()).toMatchObject([
      { status: 'failed', attempts: 8, response_status: 500 },
    ])
    const ids = new Set(receiver.received.map(({ headers }) => headers['request-id']))
    expect([receiver.received.length, ids.size]).toEqual([8, 1])
    receiver.status = 200
    const [failed] = await deliveries()
    await desk.call('redeliver_webhook', { id: failed?.id })
    await shop.work()
    expect(receiver.received.at(-1)?.body).toBe(receiver.received[0]?.body)
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }, { status: 'failed' }])
  })

  test('does not follow redirects, and does not reach into private networks', async () => {
    await endpoint()
    receiver.status = 307
    const inside = { app_id: shop.agent.id, url: 'http://169.254.169.254/latest' }
    await desk.call('create_webhook_endpoint', inside)
    await desk.paid()
    await shop.work()
    expect(receiver.received).toHaveLength(1)
    const found = await deliveries()
    expect(found.map((one) => one.attempts)).toEqual([1, 1])
    expect(found).toContainEqual(
      expect.objectContaining({
        response_status: null,
        error: 'the endpoint could not be reached',
      }),
    )
  })

  test('are not sent after their endpoint was removed', async () => {
    const { id } = await endpoint()
    await desk.paid()
    await desk.call('delete_webhook_endpoint', { id })
    await shop.work()
    expect(receiver.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ status: 'failed' }])
    await desk.paid()
    expect(await deliveries()).toHaveLength(1)
  })

  test('has a secret that is shown once and stored encrypted', async () => {
    const { secret } = await endpoint()
    expect(secret).toMatch(/^whsec_[\w-]{43}$/)
    const rows = await shop.ctx.db.read.selectFrom('webhook_endpoints').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
    const list = await desk.call('list_webhook_endpoints', { app_id: shop.agent.id })
    expect(JSON.stringify(list)).not.toContain('whsec_')
  })
})
