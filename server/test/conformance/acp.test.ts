import { createHash } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import { createAgentKey, revokeAgentKey } from '#features/api-keys/index.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { buyer, describeShop, sessionOf, type Shop } from '#test/support/commerce/shop.ts'
import { verifies } from './verifies.ts'

describeShop('agentic commerce in the interface', (open) => {
  let shop: Shop
  let productId: string

  beforeAll(async () => {
    shop = await open()
    productId = (await shop.product()).id
  })

  const visit = async (path: string, headers: Record<string, string> = {}, at = shop) =>
    await at.app.request(`/acp/${at.agent.id}${path}`, { headers })

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const somewhere = '/checkout_sessions/00000000-0000-7000-8000-000000000000'

  async function refusal(headers: Record<string, string>, at = shop) {
    const response = await visit(somewhere, headers, at)
    return [response.status, await response.json()]
  }

  const refused = (status: number, code: string, message: string) => [
    status,
    { error: { code, message } },
  ]

  async function created(more: object = {}) {
    const line_items = [{ product_id: productId, quantity: 1 }]
    return await shop.post('/checkout_sessions', { line_items, ...more })
  }

  verifies(
    ['acp.purpose.discovery', 'acp.auth.public', 'acp.endpoint.card', 'acp.endpoint.products'],
    async () => {
      const card = await visit('/.well-known/agent.json')
      expect([card.status, await card.json()]).toMatchObject([200, { name: 'Corner shop' }])
      const products = await visit('/products')
      expect([products.status, await products.json()]).toMatchObject([
        200,
        { data: [{ id: productId }] },
      ])
    },
  )

  verifies(
    [
      'acp.purpose.checkout',
      'acp.endpoint.create',
      'acp.endpoint.get',
      'acp.endpoint.update',
      'acp.endpoint.complete',
    ],
    async () => {
      const response = await created()
      expect(response.status).toBe(201)
      const { id } = await sessionOf(response)
      const path = `/checkout_sessions/${id}`
      expect(await sessionOf(shop.get(path))).toMatchObject({ id })
      expect(await sessionOf(shop.post(path, { buyer }))).toMatchObject({ id, buyer })
      const completed = await sessionOf(shop.post(`${path}/complete`))
      expect(completed).toMatchObject({ id, status: 'completed' })
    },
  )

  verifies('acp.endpoint.cancel', async () => {
    const { id } = await sessionOf(created())
    const canceled = await sessionOf(shop.post(`/checkout_sessions/${id}/cancel`))
    expect(canceled).toMatchObject({ id, status: 'canceled' })
  })

  verifies(['acp.key.prefix', 'acp.key.storage'], async () => {
    const { id, key } = await shop.newKey()
    expect(key).toMatch(/^acp_.{32}$/)
    const rows = await shop.ctx.db.read.selectFrom('api_keys').selectAll().execute()
    const row = rows.find((one) => one.id === id)
    expect(row?.hash).toBe(createHash('sha256').update(key).digest('hex'))
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  verifies('acp.key.scope', async () => {
    const issued = await createAgentKey(shop.ctx, shop.owner, {
      kind: 'chat',
      appId: shop.agent.id,
      name: 'x',
    })
    const [status] = await refusal(bearer(issued.key))
    expect(status).toBe(401)
    const body = { model: shop.agent.appNameId, messages: [{ role: 'user', content: 'Hello' }] }
    const chat = await chatSurface(shop.ctx).request('/chat/completions', {
      method: 'POST',
      headers: { ...bearer(shop.key), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([chat.status, await chat.json()]).toEqual([401, { error: 'Invalid API key' }])
  })

  verifies(['acp.key.binding', 'acp.error.agent'], async () => {
    const other = await shop.anotherShop()
    const mismatch = refused(403, 'forbidden', 'API key does not match application')
    expect(await refusal(bearer(other.key))).toEqual(mismatch)
  })

  verifies(['acp.item.list', 'acp.item.product', 'acp.item.quantity'], async () => {
    const bad = [
      {},
      { line_items: 'x' },
      { line_items: [{ quantity: 1 }] },
      { line_items: [{ product_id: 'x', quantity: 1 }] },
      { line_items: [{ product_id: productId }] },
      { line_items: [{ product_id: productId, quantity: 1.5 }] },
    ]
    for (const body of bad) expect((await shop.post('/checkout_sessions', body)).status).toBe(400)
    expect((await created()).status).toBe(201)
  })

  verifies(['acp.key.lifecycle', 'acp.state.expired', 'acp.error.expired'], async () => {
    const own = await open()
    const { key } = await own.newKey({ expiresAt: own.ctx.clock.now() + 1 })
    expect((await refusal(bearer(key), own))[0]).toBe(404)
    own.advance(1)
    expect(await refusal(bearer(key), own)).toEqual(refused(401, 'expired', 'API key has expired'))
  })

  verifies(['acp.state.revoked', 'acp.error.invalid'], async () => {
    const { id, key } = await shop.newKey()
    await revokeAgentKey(shop.ctx, shop.owner.workspaceId, 'acp', id)
    const invalid = refused(401, 'unauthorized', 'Invalid API key')
    expect(await refusal(bearer(key))).toEqual(invalid)
    expect(await refusal(bearer(`acp_${'0'.repeat(32)}`))).toEqual(invalid)
  })

  verifies(['acp.auth.bearer', 'acp.error.header', 'acp.error.body'], async () => {
    const missing = refused(401, 'unauthorized', 'Missing or invalid Authorization header')
    expect(await refusal({})).toEqual(missing)
    expect(await refusal({ authorization: shop.key })).toEqual(missing)
    for (const [method, path] of [
      ['POST', '/checkout_sessions'],
      ['POST', somewhere],
      ['POST', `${somewhere}/complete`],
      ['POST', `${somewhere}/cancel`],
      ['GET', somewhere],
    ] as const) {
      const response = await shop.app.request(`/acp/${shop.agent.id}${path}`, { method })
      expect([response.status, await response.json()]).toEqual(missing)
    }
  })

  verifies('acp.error.format', async () => {
    expect(await refusal(bearer('sk_acp_123'))).toEqual(
      refused(401, 'unauthorized', 'Invalid API key format'),
    )
  })

  verifies('acp.auth.order', async () => {
    const own = await open()
    const other = await own.anotherShop()
    const { id, key } = await own.newKey({ expiresAt: own.ctx.clock.now() + 1 })
    const at = { ...own, agent: other.agent }
    const mismatch = refused(403, 'forbidden', 'API key does not match application')
    expect(await refusal(bearer(key), at)).toEqual(mismatch)
    own.advance(1)
    expect(await refusal(bearer(key), at)).toEqual(refused(401, 'expired', 'API key has expired'))
    await revokeAgentKey(own.ctx, own.owner.workspaceId, 'acp', id)
    const invalid = refused(401, 'unauthorized', 'Invalid API key')
    expect(await refusal(bearer(key), at)).toEqual(invalid)
  })

  verifies(['acp.limit.public', 'acp.error.rate'], async () => {
    const own = await open()
    for (let count = 0; count < 200; count += 1)
      expect((await visit('/products', {}, own)).status).toBe(200)
    const response = await visit('/.well-known/agent.json', {}, own)
    expect([response.status, await response.json()]).toEqual([
      429,
      { error: 'Rate limit exceeded' },
    ])
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })

  verifies('acp.limit.checkout', async () => {
    const own = await open()
    for (let count = 0; count < 60; count += 1)
      expect((await visit(somewhere, bearer(own.key), own)).status).toBe(404)
    expect((await visit(somewhere, bearer(own.key), own)).status).toBe(429)
    const { key } = await own.newKey()
    expect((await visit(somewhere, bearer(key), own)).status).toBe(404)
  })
})
