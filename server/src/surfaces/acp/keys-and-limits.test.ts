import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { deleteAgent } from '#features/agents/index.ts'
import { revokeAgentKey } from '#features/api-keys/index.ts'
import { newId } from '#kernel/ids.ts'
import { buyer, describeShop, strict, type Shop } from '#test/support/commerce/shop.ts'

describeShop('keys and limits of checkout', (open) => {
  let shop: Shop

  beforeAll(async () => {
    shop = await open()
  })

  const someSession = '/checkout_sessions/00000000-0000-7000-8000-000000000000'

  async function refusal(headers: Record<string, string>, appId = shop.agent.id) {
    const response = await shop.app.request(`/acp/${appId}${someSession}`, { headers })
    return { status: response.status, body: await response.json() }
  }

  const unauthorized = (message: string) => ({
    status: 401,
    body: { error: { code: 'unauthorized', message } },
  })

  test.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['no token', { authorization: 'Bearer' }],
    ['another scheme', { authorization: 'Basic YWNwXzE6Mg==' }],
    ['two tokens', { authorization: 'Bearer acp_a acp_b' }],
  ])('1: %s is a missing or invalid Authorization header', async (_, headers) => {
    const message = 'Missing or invalid Authorization header'
    expect(await refusal(headers as Record<string, string>)).toEqual(unauthorized(message))
  })

  test('2: a key without the prefix acp_ has an invalid format', async () => {
    const headers = { authorization: 'Bearer svc_ck_12345' }
    expect(await refusal(headers)).toEqual(unauthorized('Invalid API key format'))
  })

  test('3: an unknown key is invalid, and so is a revoked one, also when it has expired', async () => {
    const invalid = unauthorized('Invalid API key')
    expect(await refusal({ authorization: `Bearer acp_${'x'.repeat(32)}` })).toEqual(invalid)
    const gone = await shop.newKey({ expiresAt: shop.ctx.clock.now() + 1000 })
    await revokeAgentKey(shop.ctx, shop.owner.workspaceId, 'acp', gone.id)
    expect(await refusal({ authorization: `Bearer ${gone.key}` })).toEqual(invalid)
    shop.advance(1000)
    expect(await refusal({ authorization: `Bearer ${gone.key}` })).toEqual(invalid)
  })

  test('4: an expired key has expired, also at another agent', async () => {
    const { key } = await shop.newKey({ expiresAt: shop.ctx.clock.now() + 1000 })
    expect(await refusal({ authorization: `Bearer ${key}` })).toMatchObject({ status: 404 })
    shop.advance(1000)
    const expired = {
      status: 401,
      body: { error: { code: 'expired', message: 'API key has expired' } },
    }
    expect(await refusal({ authorization: `Bearer ${key}` })).toEqual(expired)
    expect(await refusal({ authorization: `Bearer ${key}` }, newId())).toEqual(expired)
  })

  test('5: a key of another agent does not match the application', async () => {
    const other = await shop.anotherShop()
    const mismatch = {
      status: 403,
      body: { error: { code: 'forbidden', message: 'API key does not match application' } },
    }
    expect(await refusal({ authorization: `Bearer ${other.key}` })).toEqual(mismatch)
    expect(await refusal({ authorization: `Bearer ${shop.key}` }, other.agent.id)).toEqual(mismatch)
    expect(await refusal({ authorization: `Bearer ${shop.key}` }, 'nobody-1')).toEqual(mismatch)
  })

  test('the answer to an unknown caller shows how to authenticate', async () => {
    const response = await shop.get('/checkout_sessions/x', { authorization: '' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('these refusals read the same in the protocol’s dialect', async () => {
    const plain = await refusal({})
    expect(await refusal(strict())).toEqual(plain)
  })

  test('a key works with its agent’s UUID, its app_name_id, and without either', async () => {
    const headers = { authorization: `bearer ${shop.key}` }
    for (const place of [shop.agent.id, shop.agent.id.toUpperCase(), shop.agent.appNameId])
      expect(await refusal(headers, place)).toMatchObject({ status: 404 })
    const bare = await shop.app.request(`/acp${someSession}`, { headers })
    expect(bare.status).toBe(404)
    expect(await bare.json()).toEqual({
      error: { code: 'not_found', message: 'There is no such checkout session' },
    })
  })

  test('the keys of a deleted agent are invalid at once', async () => {
    const other = await shop.anotherShop()
    await deleteAgent(shop.ctx, shop.owner.workspaceId, other.agent.id)
    const answer = await refusal({ authorization: `Bearer ${other.key}` }, other.agent.id)
    expect(answer).toEqual(unauthorized('Invalid API key'))
  })

  test('a key is acp_ and 32 random characters, and only its SHA-256 is stored', async () => {
    const { id, key } = await shop.newKey()
    expect(key).toMatch(/^acp_[A-Za-z0-9]{32}$/)
    const row = await shop.ctx.db.read
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.hash).toBe(createHash('sha256').update(key).digest('hex'))
    expect(JSON.stringify(row)).not.toContain(key.slice(4, -4))
  })

  test('the 61st request of a key within a minute is refused, whatever its endpoint', async () => {
    const own = await open()
    const statuses: number[] = []
    for (let count = 0; count < 61; count += 1) statuses.push((await own.get(someSession)).status)
    expect(statuses.slice(0, 60).every((status) => status === 404)).toBe(true)
    const refused = await own.post('/checkout_sessions', {}, strict())
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({ error: 'Rate limit exceeded' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    const { key } = await own.newKey()
    const another = await own.get(someSession, { authorization: `Bearer ${key}` })
    expect(another.status).toBe(404)
  })

  test('a workspace opens a limited number of checkouts in a day, with all of its keys', async () => {
    const own = await open({ environment: { CHECKOUTS_PER_DAY: '2' } })
    const product = await own.product({ stock: 10 })
    const body = { line_items: [{ product_id: product.id, quantity: 1 }] }
    const first = await own.post('/checkout_sessions', body)
    expect([first.status, (await own.post('/checkout_sessions', body)).status]).toEqual([201, 201])
    const { key } = await own.newKey()
    const headers = { authorization: `Bearer ${key}` }
    const refused = await own.post('/checkout_sessions', body, headers)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({ error: 'Rate limit exceeded' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
    const { count } = await own.ctx.db.read
      .selectFrom('checkout_sessions')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('workspace_id', '=', own.owner.workspaceId)
      .executeTakeFirstOrThrow()
    expect(count).toBe(2)
    // Those that are open can still be changed and paid.
    const { id } = (await first.json()) as { id: string } // The document of a session.
    expect((await own.post(`/checkout_sessions/${id}`, { buyer })).status).toBe(200)
  })

  test('refused and repeated requests do not count as checkouts, and are answered at the limit', async () => {
    const own = await open({ environment: { CHECKOUTS_PER_DAY: '2' } })
    const product = await own.product({ stock: 10 })
    const cart = (id: string) => ({
      currency: 'usd',
      capabilities: {},
      line_items: [{ id, quantity: 1 }],
    })
    const post = async (key: string, id = product.id) => {
      const response = await own.post('/checkout_sessions', cart(id), strict(key))
      return { status: response.status, body: await response.json() }
    }
    const refuse = async (key: string) => {
      expect((await post(key, newId(0))).status).toBe(400)
      const bare = { line_items: [{ product_id: newId(0), quantity: 1 }] }
      const refused = await own.post('/checkout_sessions', bare)
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('item')])
    }
    for (const key of ['one', 'two', 'three']) await refuse(`refused ${key}`)
    const first = await post('first')
    expect(first.status).toBe(201)
    for (let count = 0; count < 3; count += 1) expect(await post('first')).toEqual(first)
    const second = await post('second')
    expect(second.status).toBe(201)
    expect((await post('third')).status).toBe(429)
    expect(await post('first')).toEqual(first)
    expect(await post('second')).toEqual(second)
    await refuse('refused at the limit')
    // A reached limit is no recorded answer.
    expect((await post('third')).status).toBe(429)
  })

  test('requests without a valid key count for the address: past the limit they get 429', async () => {
    const own = await open({ environment: { ACP_FAILED_CALLS_LIMIT: '3' } })
    const other = await own.anotherShop()
    const wrong = [
      { authorization: '' },
      { authorization: 'Bearer svc_ck_1' },
      { authorization: `Bearer ${other.key}` },
    ]
    const statuses = []
    for (const headers of wrong) statuses.push((await own.get(someSession, headers)).status)
    expect(statuses).toEqual([401, 401, 403])
    for (const headers of wrong) {
      const refused = await own.get(someSession, { ...headers, ...strict() })
      expect(refused.status).toBe(429)
      expect(await refused.json()).toEqual({ error: 'Rate limit exceeded' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    // Callers with a valid key at the same address, and public requests, are not refused.
    expect((await own.get(someSession)).status).toBe(404)
    expect((await own.get('/products')).status).toBe(200)
  })

  test('the address that counts is the one that a trusted proxy saw; a forged one has no effect', async () => {
    const environment = { ACP_FAILED_CALLS_LIMIT: '2', TRUST_PROXY: '127.0.0.0/8, ::1' }
    const own = await open({ environment })
    const base = await own.listen()
    const ask = async (forwarded: string) =>
      (
        await fetch(`${base}/acp/${own.agent.id}${someSession}`, {
          headers: { 'x-forwarded-for': forwarded },
        })
      ).status
    expect(await ask('1.2.3.4, 198.51.100.7')).toBe(401)
    expect(await ask('1.2.3.5, 198.51.100.7')).toBe(401)
    expect(await ask('1.2.3.6, 198.51.100.7')).toBe(429)
    expect(await ask('198.51.100.8')).toBe(401)
  })

  test('the 201st public request of an address is refused, whatever its headers', async () => {
    const own = await open()
    const base = await own.listen()
    const ask = (path: string, headers = {}) =>
      fetch(`${base}/acp/${own.agent.id}${path}`, { headers })
    const paths = ['/products', '/.well-known/agent.json', '/feed', '/.well-known/acp.json']
    for (let count = 0; count < 200; count += 1) {
      const response = await ask(paths[count % 4] ?? '', {
        'x-forwarded-for': `198.51.100.${count}`,
      })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    }
    const refused = await ask('/products', { 'x-forwarded-for': '203.0.113.9' })
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({ error: 'Rate limit exceeded' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const root = await fetch(`${base}/.well-known/acp.json`)
    expect(root.status).toBe(429)
    const checkout = await ask(someSession, { authorization: `Bearer ${own.key}` })
    expect(checkout.status).toBe(404)
  })

  test('behind a trusted proxy, the client is the one that the proxy saw', async () => {
    const own = await open({ environment: { TRUST_PROXY: '127.0.0.0/8, ::1' } })
    const base = await own.listen()
    const ask = (forwarded: string) =>
      fetch(`${base}/acp/${own.agent.id}/products`, { headers: { 'x-forwarded-for': forwarded } })
    for (let count = 0; count < 200; count += 1)
      await (await ask(`1.2.3.${count}, 198.51.100.7`)).arrayBuffer()
    expect((await ask('9.9.9.9, 198.51.100.7')).status).toBe(429)
    expect((await ask('198.51.100.8')).status).toBe(200)
  })

  test('two processes count one window on PostgreSQL', async () => {
    const own = await open()
    if (own.ctx.db.engine === 'sqlite') return // One process has an embedded database.
    const other = await own.process()
    for (let count = 0; count < 30; count += 1) {
      expect((await own.get(someSession)).status).toBe(404)
      expect((await other.get(someSession)).status).toBe(404)
    }
    expect((await own.get(someSession)).status).toBe(429)
    expect((await other.get(someSession)).status).toBe(429)
  })
})
