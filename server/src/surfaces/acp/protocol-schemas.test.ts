import { beforeAll, describe, expect, test } from 'vitest'
import {
  firstExamples,
  protocolExamples,
  protocolValidator,
  schemasAbsent,
} from '#test/support/commerce/acp-schemas.ts'
import {
  address,
  amountOf,
  buyer,
  describeShop,
  sessionOf,
  strict,
  type SessionBody,
  type Shop,
} from '#test/support/commerce/shop.ts'

describe.skipIf(schemasAbsent !== null)('every answer matches the protocol’s schemas', () => {
  const isSession = schemasAbsent === null ? protocolValidator('CheckoutSession') : () => undefined
  const isWithOrder =
    schemasAbsent === null ? protocolValidator('CheckoutSessionWithOrder') : () => undefined
  const isOrder = schemasAbsent === null ? protocolValidator('Order') : () => undefined
  const isError = schemasAbsent === null ? protocolValidator('Error') : () => undefined
  const isDiscovery =
    schemasAbsent === null ? protocolValidator('DiscoveryResponse') : () => undefined
  const isProduct = schemasAbsent === null ? protocolValidator('Product', 'feed') : () => undefined

  describeShop('over a lifecycle', (open) => {
    let shop: Shop

    beforeAll(async () => {
      shop = await open()
      await shop.settings({
        shipping_options: [
          { id: 'standard', title: 'Standard', description: 'Slow', price_amount: 500 },
          {
            id: 'express',
            title: 'Express',
            description: '',
            price_amount: 1500,
            carrier: 'Post',
            min_days: 1,
            max_days: 2,
          },
        ],
        pickup_locations: [{ id: 'store', title: 'Our store', address, instructions: 'Ring' }],
        tax: {
          rates: [{ name: 'Sales tax', percent: 8.25, country: 'US', state: 'OR' }],
          prices_include_tax: false,
          shipping_taxed: true,
        },
        discount_codes: [
          {
            code: 'TEN',
            name: 'Ten percent',
            percent_off: 10,
            minimum_amount: 0,
            combinable: true,
          },
          { code: 'OFF', name: 'Two off', amount_off: 200, minimum_amount: 0, combinable: true },
        ],
        links: { terms: 'https://shop.example/terms', returns: 'https://shop.example/returns' },
        support: { email: 'help@shop.example' },
      })
    })

    async function cart(type: 'shipping' | 'digital' | 'pickup', fields = {}) {
      const product = await shop.product({
        name: `A ${type} thing`,
        description: 'Well made',
        fulfillment_type: type,
        images: ['https://shop.example/1.jpg'],
        categories: ['Things'],
        sku: `sku-${Math.random()}`,
        stock: 4,
        ...fields,
      })
      return { id: product.id, quantity: 2 }
    }

    for (const mode of ['plain', 'strict'] as const) {
      const headers = () => (mode === 'strict' ? strict() : {})

      async function create(body: Record<string, unknown>): Promise<SessionBody> {
        const items = body.line_items as { id: string; quantity: number }[]
        const plainItems = items.map(({ id, quantity }) => ({ product_id: id, quantity }))
        const response = await shop.post(
          '/checkout_sessions',
          mode === 'strict'
            ? { currency: 'usd', capabilities: {}, ...body }
            : { ...body, line_items: plainItems },
          headers(),
        )
        expect(response.status).toBe(201)
        return await checked(response)
      }

      async function checked(response: Response): Promise<SessionBody> {
        const session = await sessionOf(response)
        isSession(session)
        return session
      }

      test(`${mode}: create, get, update, decline, 3-D Secure, complete`, async () => {
        const items = [await cart('shipping'), await cart('digital'), await cart('pickup')]
        const session = await create({ line_items: items })
        expect(session.status).toBe('not_ready_for_payment')
        const path = `/checkout_sessions/${session.id}`
        const known = await checked(
          await shop.post(
            path,
            {
              buyer: { ...buyer, company: { name: 'Works' } },
              fulfillment_details: { name: 'Ada', email: 'ada@example.com', address },
              selected_fulfillment_options: [
                { type: 'shipping', option_id: 'express', item_ids: [items[0]?.id] },
              ],
              discounts: { codes: ['TEN', 'OFF', 'NONE'] },
              order_notes: 'Leave it at the door',
            },
            headers(),
          ),
        )
        expect(known).toMatchObject({ status: 'ready_for_payment' })
        expect(amountOf(known.totals, 'items_base_amount')).toBe(7500)
        expect(amountOf(known.totals, 'items_discount')).toBe(950)
        expect(amountOf(known.totals, 'fulfillment')).toBe(1500)
        const fixed = { code: 'OFF', coupon: { amount_off: 200, currency: 'usd' } }
        expect(known.discounts?.applied[1]).toMatchObject(fixed)
        const pay = (token: string, more = {}) =>
          shop.post(
            `${path}/complete`,
            {
              buyer,
              payment_data: {
                handler_id: 'card_tokenized',
                instrument: { type: 'card', credential: { type: 'spt', token } },
              },
              ...more,
            },
            headers(),
          )
        const declined = await checked(await pay('spt_decline'))
        expect(declined).toMatchObject({
          status: 'ready_for_payment',
          messages: expect.arrayContaining([expect.objectContaining({ code: 'payment_declined' })]),
        })
        const waiting = await checked(await pay('spt_3ds'))
        expect(waiting.status).toBe('authentication_required')
        expect(waiting.authentication_metadata).toBeDefined()
        const refused = await pay('spt_3ds')
        expect(refused.status).toBe(400)
        const completed = await pay('spt_3ds', {
          authentication_result: {
            outcome: 'authenticated',
            outcome_details: {
              three_ds_cryptogram: 'ABCDEFGHIJKLMNOPQRSTUVWX==',
              electronic_commerce_indicator: '05',
              transaction_id: 'ds-1',
              version: '2.2.0',
            },
          },
        })
        const paid = await checked(completed)
        isWithOrder(paid)
        expect(paid.status).toBe('completed')
        isSession(await sessionOf(shop.get(path, headers())))
        const order = await (await shop.get(`/orders/${paid.order?.id}`)).json()
        isOrder(order)
      })

      test(`${mode}: cancel, and what cannot be done after it`, async () => {
        const session = await create({ line_items: [await cart('digital')] })
        const path = `/checkout_sessions/${session.id}`
        const body = { intent_trace: { reason_code: 'shipping_cost', trace_summary: 'Too dear' } }
        const canceled = await shop.post(`${path}/cancel`, body, headers())
        expect(canceled.status).toBe(200)
        expect(await checked(canceled)).toMatchObject({ status: 'canceled' })
        expect((await shop.post(`${path}/cancel`, {}, headers())).status).toBe(405)
        expect((await shop.post(`${path}/complete`, pay, headers())).status).toBe(409)
      })
    }

    const pay = { payment_data: { instrument: { credential: { type: 'spt', token: 'spt_test' } } } }

    test('errors in the protocol’s dialect match its Error schema', async () => {
      const gone = '/checkout_sessions/00000000-0000-7000-8000-000000000000'
      const item = await cart('digital')
      const ok = { currency: 'usd', capabilities: {}, line_items: [item] }
      const requests: [Promise<Response>, number, string][] = [
        [shop.get(gone, strict()), 404, 'not_found'],
        [shop.post('/checkout_sessions', {}, strict()), 400, 'missing'],
        [shop.post('/checkout_sessions', '{', strict()), 400, 'invalid_request'],
        [
          shop.post('/checkout_sessions', { ...ok, line_items: [{ id: 'x' }] }, strict()),
          400,
          'invalid_item_id',
        ],
        [
          shop.post('/checkout_sessions', { ...ok, currency: 'eur' }, strict()),
          400,
          'currency_mismatch',
        ],
        [
          shop.post('/checkout_sessions', ok, { 'api-version': '2026-04-17' }),
          400,
          'idempotency_key_required',
        ],
        [
          shop.post('/checkout_sessions', ok, { ...strict(), 'api-version': '2025-09-29' }),
          400,
          'unsupported_api_version',
        ],
        [shop.post(`${gone}/complete`, {}, strict()), 400, 'missing'],
      ]
      for (const [request, status, code] of requests) {
        const response = await request
        const body = (await response.json()) as { code: string }
        expect([response.status, body.code]).toEqual([status, code])
        isError(body)
      }
    })

    test('the validators reject invalid documents', () => {
      expect(() => isSession({ id: 'x' })).toThrow('status')
      expect(() => isError({ type: 'odd', code: 'x', message: 'x' })).toThrow('type')
      expect(() => isProduct({ id: 'x' })).toThrow('variants')
    })

    test('discovery and the feed', async () => {
      isDiscovery(await (await shop.app.request('/.well-known/acp.json')).json())
      isDiscovery(await (await shop.get('/.well-known/acp.json')).json())
      await cart('digital')
      const feed = (await (await shop.get('/feed')).json()) as { products: unknown[] }
      expect(feed.products.length).toBeGreaterThan(0)
      for (const product of feed.products) isProduct(product)
    })

    test('the official example requests work with our products', async () => {
      const product = await shop.product({ fulfillment_type: 'shipping', stock: null })
      const examples = protocolExamples()
      const rename = (body: unknown): Record<string, unknown> =>
        JSON.parse(
          JSON.stringify(body)
            .replaceAll('item_123', product.id)
            .replaceAll('fulfillment_option_456', 'express'),
        ) as Record<string, unknown> // what an object stringifies to
      const created = await shop.post(
        '/checkout_sessions',
        rename(examples.create_checkout_session_request),
        strict(),
      )
      expect(created.status).toBe(201)
      const session = await sessionOf(created)
      const path = `/checkout_sessions/${session.id}`
      const update = rename(examples.update_checkout_session_request)
      const updated = await sessionOf(shop.post(path, update, strict()))
      expect(updated).toMatchObject({ status: 'ready_for_payment' })
      const complete = examples.complete_checkout_session_request
      const paid = await sessionOf(shop.post(`${path}/complete`, complete, strict()))
      isWithOrder(paid)
      expect(paid.status).toBe('completed')
    })

    test('requests of the first release work', async () => {
      const product = await shop.product({ fulfillment_type: 'shipping', stock: null })
      const examples = firstExamples()
      const created = await shop.post(
        '/checkout_sessions',
        {
          ...examples.create_checkout_session_request,
          items: [{ id: product.id, quantity: 2 }],
          currency: 'usd',
          capabilities: {},
        },
        strict(),
      )
      expect(created.status).toBe(201)
      const { id } = await checkedSession(created)
      const path = `/checkout_sessions/${id}`
      const chosen = { fulfillment_option_id: 'express' }
      const updated = await checkedSession(await shop.post(path, chosen, strict()))
      expect(updated.selected_fulfillment_options).toMatchObject([{ option_id: 'express' }])
      const complete = examples.complete_checkout_session_request
      const paid = await checkedSession(await shop.post(`${path}/complete`, complete, strict()))
      expect(paid.status).toBe('completed')
    })

    async function checkedSession(response: Response): Promise<SessionBody> {
      const session = await sessionOf(response)
      isSession(session)
      return session
    }
  })
})
