import { createRequire } from 'node:module'
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { merchantSignature } from '#features/webhooks/index.ts'
import { protocolValidator, schemasAbsent } from '#test/support/commerce/acp-schemas.ts'
import {
  address,
  buyer,
  describeShop,
  type SessionBody,
  type Shop,
} from '#test/support/commerce/shop.ts'

/**
 * The package's ESM build imports files without their extension, which Node rejects. Its CommonJS
 * build loads.
 */
const require = createRequire(import.meta.url)

interface Sdk {
  readonly checkoutSessions: {
    create(body: object, options?: object): Promise<SessionBody>
    retrieve(id: string): Promise<SessionBody>
    update(id: string, body: object): Promise<SessionBody>
    complete(id: string, body: object, options?: object): Promise<SessionBody>
    cancel(id: string): Promise<SessionBody>
  }
}
interface SdkClass {
  new (key: string, config: object): Sdk
  readonly webhooks: {
    constructEvent(body: string, signature: string, secret: string): unknown
  }
}

describeShop('real shopping agents', (open) => {
  let shop: Shop
  let base: string

  beforeAll(async () => {
    shop = await open()
    base = await shop.listen()
    await shop.product({ name: 'Teapot', fulfillment_type: 'shipping', stock: 5 })
  })
  afterEach(() => vi.unstubAllGlobals())

  test('the A2A card resolver reads the agent’s card', async () => {
    const resolver = new DefaultAgentCardResolver()
    const card = await resolver.resolve(base, `acp/${shop.agent.id}/.well-known/agent.json`)
    expect(card.name).toBe('Corner shop')
    expect(card.skills.map(({ id }) => id)).toEqual(['products', 'checkout'])
  })

  test('the A2A card resolver reads the card of an agent that sells nothing', async () => {
    const closed = await open()
    const path = `acp/${closed.agent.id}/.well-known/agent.json`
    const card = await new DefaultAgentCardResolver().resolve(await closed.listen(), path)
    expect(card.name).toBe('Corner shop')
    expect(card.skills).toEqual([])
  })

  test('an agent that knows only the address discovers the shop, reads its products and pays', async () => {
    const isSession =
      schemasAbsent === null ? protocolValidator('CheckoutSession') : () => undefined
    const get = async <Body>(url: string, headers = {}): Promise<Body> => {
      const response = await fetch(url, { headers })
      expect(response.status).toBe(200)
      return (await response.json()) as Body // The test compares the fields.
    }
    const card = await get<{ acp: { products_url: string; api_base_url: string } }>(
      `${base}/acp/${shop.agent.appNameId}/.well-known/agent.json`,
    )
    // The card names the public address; here the service listens on loopback.
    const here = (url: string) => url.replace('https://parley.example', base)
    const { data } = await get<{
      data: { id: string; price: { amount: number; currency: string } }[]
    }>(`${here(card.acp.products_url)}?q=teapot`)
    const [product] = data
    const api = here(card.acp.api_base_url)
    let calls = 0
    const post = async (path: string, body: object) => {
      calls += 1
      const response = await fetch(`${api}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${shop.key}`,
          'content-type': 'application/json',
          'api-version': '2026-04-17',
          'idempotency-key': `agent-${calls}`,
        },
        body: JSON.stringify(body),
      })
      const session = (await response.json()) as SessionBody // Validated below.
      isSession(session)
      return { status: response.status, session }
    }
    const created = await post('/checkout_sessions', {
      currency: product?.price.currency,
      capabilities: {},
      line_items: [{ id: product?.id, quantity: 2 }],
      buyer,
      fulfillment_details: { address },
    })
    expect([created.status, created.session.status]).toEqual([201, 'ready_for_payment'])
    const { id } = created.session
    const [option] = created.session.fulfillment_options
    const chosen = await post(`/checkout_sessions/${id}`, {
      selected_fulfillment_options: [{ type: option?.type, option_id: option?.id, item_ids: [] }],
    })
    expect(chosen.session.status).toBe('ready_for_payment')
    const paid = await post(`/checkout_sessions/${id}/complete`, {
      payment_data: {
        handler_id: 'test',
        instrument: { type: 'card', credential: { type: 'spt', token: 'spt_test' } },
      },
    })
    expect([paid.status, paid.session.status]).toEqual([200, 'completed'])
    const order = await get<{ order_number: string }>(`${api}/orders/${paid.session.order?.id}`, {
      authorization: `Bearer ${shop.key}`,
    })
    expect(order.order_number).toMatch(/^#\d+$/)
    const receipt = await fetch(here(paid.session.order?.permalink_url ?? ''))
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=UTF-8',
    ])
  })

  /**
   * The package connects to a host over HTTPS. This proxy terminates TLS in front of the service.
   */
  function behindTls(): SdkClass {
    const { fetch: plainFetch } = globalThis
    vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
      plainFetch(url.replace('https://shop.example', base), init),
    )
    return require('agentic-commerce-sdk') as SdkClass
  }

  test('agentic-commerce-sdk completes a checkout and receives an order', async () => {
    const Acp = behindTls()
    const product = await shop.product({ fulfillment_type: 'shipping', stock: 5 })
    for (const host of ['shop.example/acp', `shop.example/acp/${shop.agent.id}`]) {
      const { checkoutSessions } = new Acp(shop.key, { host, maxNetworkRetries: 0 })
      const session = await checkoutSessions.create(
        { items: [{ id: product.id, quantity: 1 }], fulfillment_details: { address } },
        { idempotencyKey: `sdk-${host}` },
      )
      expect(session.status).toBe('ready_for_payment')
      const updated = await checkoutSessions.update(session.id, {
        selected_fulfillment_options: [{ type: 'shipping', shipping: { option_id: 'standard' } }],
      })
      expect(updated.selected_fulfillment_options).toMatchObject([{ option_id: 'standard' }])
      const completed = await checkoutSessions.complete(session.id, {
        buyer,
        payment_data: { token: 'tok_visa', provider: 'stripe' },
      })
      expect(completed).toMatchObject({ status: 'completed', order: { type: 'order' } })
      expect(await checkoutSessions.retrieve(session.id)).toEqual(completed)
      const other = await checkoutSessions.create({ items: [{ id: product.id }] })
      expect(await checkoutSessions.cancel(other.id)).toMatchObject({ status: 'canceled' })
    }
  })

  test('agentic-commerce-sdk understands our errors', async () => {
    const Acp = behindTls()
    const { checkoutSessions } = new Acp('acp_wrong', { host: 'shop.example/acp' })
    await expect(checkoutSessions.retrieve('x')).rejects.toMatchObject({
      statusCode: 401,
      message: 'Invalid API key',
    })
  })

  test('agentic-commerce-sdk accepts our webhook signatures', () => {
    const Acp = behindTls()
    const body = JSON.stringify({ type: 'order_create', data: {} })
    const signature = merchantSignature('whsec_x', body, Math.floor(Date.now() / 1000))
    expect(Acp.webhooks.constructEvent(body, signature, 'whsec_x')).toMatchObject({
      type: 'order_create',
    })
  })
})
