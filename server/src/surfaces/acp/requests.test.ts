import { beforeAll, expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'

describeShop('requests of a checkout', (open) => {
  let shop: Shop
  let productId: string

  beforeAll(async () => {
    shop = await open()
    productId = (await shop.product()).id
  })

  const line = (fields: object = {}) => ({ product_id: productId, quantity: 1, ...fields })

  async function refused(body: unknown, headers = {}) {
    const { key } = await shop.newKey()
    const response = await shop.post('/checkout_sessions', body, {
      authorization: `Bearer ${key}`,
      ...headers,
    })
    return { status: response.status, body: await response.json() }
  }

  test.each([
    ['no body', '', 'missing', 'line_items is required'],
    ['no JSON', '{', 'invalid_request', 'JSON'],
    ['no object', '[]', 'invalid_request', 'request body'],
    ['no line_items', {}, 'missing', 'line_items'],
    ['empty line_items', { line_items: [] }, 'invalid_request', 'line_items'],
    ['line_items that are no list', { line_items: {} }, 'invalid_request', 'line_items'],
    ['no product_id', { line_items: [{ quantity: 1 }] }, 'missing', 'line_items[0].product_id'],
    [
      'an id in place of product_id',
      { line_items: [{ id: 'x', quantity: 1 }] },
      'missing',
      'line_items[0].product_id',
    ],
    [
      'a product_id that is no UUID',
      { line_items: [{ product_id: 'teapot', quantity: 1 }] },
      'invalid_request',
      'line_items[0].product_id',
    ],
  ])('%s is refused with the name of the field', async (_, body, code, field) => {
    const message = expect.stringContaining(field)
    expect(await refused(body)).toEqual({ status: 400, body: { error: { code, message } } })
  })

  test.each([
    ['no quantity', undefined, 'missing'],
    ['a quantity of 0', 0, 'invalid_request'],
    ['a negative quantity', -1, 'invalid_request'],
    ['a quantity that is no whole number', 1.5, 'invalid_request'],
    ['a quantity in words', '1', 'invalid_request'],
    ['a quantity beyond what anyone buys', 10_001, 'invalid_request'],
  ])('%s is refused', async (_, quantity, code) => {
    const problem = code === 'missing' ? ' is required' : ': must be a whole number from 1 to 10000'
    expect(await refused({ line_items: [line({ quantity })] })).toEqual({
      status: 400,
      body: { error: { code, message: `line_items[0].quantity${problem}` } },
    })
  })

  test('an unknown, inactive, deleted or another agent’s product gets the same error', async () => {
    const inactive = await shop.product({ active: false })
    const other = await open()
    const foreign = await other.product()
    for (const id of [newId(), inactive.id, foreign.id])
      expect(await refused({ line_items: [{ product_id: id, quantity: 1 }] })).toEqual({
        status: 400,
        body: {
          error: {
            code: 'invalid_item_id',
            message: `line_items: there is no product ${id} on sale here`,
          },
        },
      })
  })

  test('one checkout cannot contain items in different currencies', async () => {
    const yen = await shop.product({ currency: 'jpy', price_amount: 300 })
    expect(
      await refused({ line_items: [line(), { product_id: yen.id, quantity: 1 }] }),
    ).toMatchObject({ status: 400, body: { error: { code: 'currency_mismatch' } } })
    const session = await sessionOf(
      shop.post('/checkout_sessions', { line_items: [{ product_id: yen.id, quantity: 2 }] }),
    )
    expect(session).toMatchObject({ currency: 'jpy' })
  })

  test('the same product twice is one line with both quantities', async () => {
    const session = await sessionOf(
      shop.post('/checkout_sessions', { line_items: [line(), line({ quantity: 2 })] }),
    )
    expect(session.line_items).toMatchObject([{ quantity: 3, item: { id: productId } }])
  })

  test('text that a database cannot store is refused or removed, and never causes an internal error', async () => {
    const weird = '\u0000\ud800'
    const bodies = [
      { line_items: [line()], buyer: { ...buyer, first_name: weird } },
      { line_items: [line()], metadata: { [weird]: weird } },
      { line_items: [{ product_id: weird, quantity: 1 }] },
      { line_items: [line()], discounts: { codes: [weird] } },
    ]
    for (const body of bodies) {
      const { status } = await refused(body)
      expect([201, 400]).toContain(status)
    }
    const ids = await refused(
      { currency: 'usd', capabilities: {}, line_items: [{ id: weird }] },
      strict(),
    )
    expect(ids).toMatchObject({ status: 400, body: { code: 'invalid_item_id' } })
    for (const path of ['/acp/%00/products', `/acp/${shop.agent.id}/receipts/%00`])
      expect((await shop.app.request(path)).status).toBe(404)
    const query = `/acp/${shop.agent.id}/products?q=%00&cursor=%00`
    expect((await shop.app.request(query)).status).toBe(400)
  })

  test('a deeply nested body is refused', async () => {
    const deep = `{"line_items":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(await refused(deep)).toMatchObject({ status: 400 })
  })

  test('unknown paths and methods get 404 and 405', async () => {
    const unknown = await shop.get('/nothing')
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: { code: 'not_found', message: 'Not found' } },
    ])
    const wrong = await shop.app.request(`/acp/${shop.agent.id}/products`, { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const list = await shop.get('/checkout_sessions')
    expect([list.status, list.headers.get('allow')]).toEqual([405, 'POST'])
    const session = await sessionOf(shop.post('/checkout_sessions', { line_items: [line()] }))
    await shop.post(`/checkout_sessions/${session.id}/cancel`)
    const again = await shop.post(`/checkout_sessions/${session.id}/cancel`)
    expect([again.status, again.headers.get('allow')]).toEqual([405, ''])
  })

  test('a content type other than JSON is refused', async () => {
    const response = await shop.post('/checkout_sessions', 'x=1', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(response.status).toBe(415)
  })

  test('the protocol’s dialect accepts id, item.id or product_id; the default quantity is 1', async () => {
    const shapes = [
      { line_items: [{ id: productId }] },
      { line_items: [{ item: { id: productId } }] },
      { line_items: [{ product_id: productId }] },
      { items: [{ id: productId, quantity: 1 }] },
    ]
    for (const shape of shapes) {
      const body = { currency: 'USD', capabilities: {}, ...shape }
      const response = await shop.post('/checkout_sessions', body, strict())
      expect(response.status).toBe(201)
      expect((await sessionOf(response)).line_items).toMatchObject([
        { quantity: 1, item: { id: productId } },
      ])
    }
  })

  test('the lines of a session may be sent back unchanged', async () => {
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: productId }] }
    const { id, line_items } = await sessionOf(shop.post('/checkout_sessions', body, strict()))
    const change = { line_items: line_items.map((line) => ({ ...line, quantity: 2 })) }
    for (const headers of [strict(), {}]) {
      const changed = await sessionOf(shop.post(`/checkout_sessions/${id}`, change, headers))
      expect(changed.line_items).toMatchObject([{ quantity: 2, item: { id: productId } }])
    }
  })

  test.each([['currency'], ['capabilities'], ['line_items']])(
    'the protocol’s dialect requires %s',
    async (field) => {
      const body = { currency: 'usd', capabilities: {}, line_items: [{ id: productId }] }
      const answer = await refused({ ...body, [field]: undefined }, strict())
      expect(answer).toEqual({
        status: 400,
        body: {
          type: 'invalid_request',
          code: 'missing',
          message: `${field} is required`,
          param: `$.${field}`,
        },
      })
    },
  )

  test('only the supported versions are accepted, and the error lists them', async () => {
    const codes = {
      '2025-09-29': 'unsupported_api_version',
      '2026-01-30': 'unsupported_api_version',
      latest: 'unsupported_api_version',
      '': 'missing_api_version',
    }
    for (const [version, code] of Object.entries(codes)) {
      const answer = await refused({}, { ...strict(), 'api-version': version })
      expect(answer).toMatchObject({
        status: 400,
        body: { type: 'invalid_request', code, supported_versions: ['2026-04-17'] },
      })
    }
  })

  test('no cache stores an answer that names a buyer', async () => {
    const created = await shop.post('/checkout_sessions', { line_items: [line()], buyer })
    const { id } = await sessionOf(created.clone())
    const read = await shop.get(`/checkout_sessions/${id}`)
    const paid = await shop.post(`/checkout_sessions/${id}/complete`, {})
    const { order } = await sessionOf(paid.clone())
    const answers = [created, read, paid, await shop.get(`/orders/${order?.id}`)]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200])
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store')
  })

  test('the answer repeats the ids of the request', async () => {
    const headers = { ...strict('my-key'), 'request-id': 'my-request' }
    const body = { currency: 'usd', capabilities: {}, line_items: [{ id: productId }] }
    const response = await shop.post('/checkout_sessions', body, headers)
    expect(response.headers.get('idempotency-key')).toBe('my-key')
    expect(response.headers.get('request-id')).toBe('my-request')
  })

  test('null clears a field, an absent field is unchanged', async () => {
    const session = await sessionOf(
      shop.post('/checkout_sessions', { line_items: [line()], buyer, order_notes: 'Ring' }),
    )
    const path = `/checkout_sessions/${session.id}`
    expect(await (await shop.post(path, {})).json()).toMatchObject({ buyer })
    const cleared = await (await shop.post(path, { buyer: null })).json()
    expect(cleared).not.toHaveProperty('buyer')
    expect(cleared).toMatchObject({ status: 'not_ready_for_payment' })
  })

  test('an option that is not offered is refused', async () => {
    const session = await sessionOf(shop.post('/checkout_sessions', { line_items: [line()] }))
    const change = { selected_fulfillment_options: [{ type: 'digital', option_id: 'fax' }] }
    const response = await shop.post(`/checkout_sessions/${session.id}`, change)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: {
          code: 'invalid_fulfillment_option',
          message: expect.stringContaining('fax'),
        },
      },
    ])
  })

  test('an order is read with a key of its agent only, under both addresses', async () => {
    const session = await sessionOf(
      shop.post('/checkout_sessions', { line_items: [line()], buyer }),
    )
    const paid = await sessionOf(shop.post(`/checkout_sessions/${session.id}/complete`))
    const id = String(paid.order?.id)
    const sister = await shop.anotherShop()
    const stranger = await shop.anotherShop(await shop.person())
    const read = async (path: string, key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await shop.app.request(`/acp${path}/orders/${id}`, { headers })
      return [response.status, ((await response.json()) as { id?: string }).id]
    }
    for (const place of [`/${shop.agent.id}`, `/${shop.agent.appNameId}`, ''])
      expect(await read(place, shop.key)).toEqual([200, id])
    for (const other of [sister, stranger]) {
      expect(await read(`/${shop.agent.id}`, other.key)).toEqual([403, undefined])
      expect(await read(`/${other.agent.id}`, other.key)).toEqual([404, undefined])
      expect(await read('', other.key)).toEqual([404, undefined])
    }
  })

  test('another tenant’s session is not found', async () => {
    const session = await sessionOf(shop.post('/checkout_sessions', { line_items: [line()] }))
    const other = await shop.anotherShop(await shop.person())
    const headers = { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' }
    const place = `/acp/${other.agent.id}/checkout_sessions/${session.id}`
    for (const [path, method] of [
      [place, 'GET'],
      [place, 'POST'],
      [`${place}/complete`, 'POST'],
      [`${place}/cancel`, 'POST'],
    ] as const) {
      const init = method === 'POST' ? { method, headers, body: '{}' } : { method, headers }
      expect((await shop.app.request(path, init)).status).toBe(404)
    }
  })
})
