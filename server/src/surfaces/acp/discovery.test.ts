import { beforeAll, expect, test } from 'vitest'
import { deleteAgent, updateAgent } from '#features/agents/index.ts'
import { deleteProduct } from '#features/catalog/index.ts'
import { describeShop, type Shop } from '#test/support/commerce/shop.ts'

interface ProductPage {
  readonly data: readonly { readonly id: string; readonly name: string }[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

describeShop('what anyone can read of a shop', (open) => {
  let shop: Shop

  beforeAll(async () => {
    shop = await open()
    await shop.product({ name: 'On sale' })
  })

  const visit = async (path: string, headers = {}, at = shop) =>
    await at.app.request(`/acp/${at.agent.id}${path}`, { headers })

  async function products(query = '', at = shop): Promise<ProductPage> {
    return (await (await visit(`/products${query}`, {}, at)).json()) as ProductPage
  }

  test('its card shows its capabilities, their addresses, and test mode for payments', async () => {
    const response = await visit('/.well-known/agent.json')
    const base = `https://parley.example/acp/${shop.agent.id}`
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await response.json()).toMatchObject({
      name: 'Corner shop',
      url: base,
      version: '1.0.0',
      capabilities: { products: true, checkout: true },
      endpoints: { products: `${base}/products`, checkout_sessions: `${base}/checkout_sessions` },
      authentication: { type: 'bearer', schemes: ['bearer'] },
      defaultInputModes: ['application/json'],
      skills: [{ id: 'products' }, { id: 'checkout' }],
      acp: {
        api_base_url: base,
        products_url: `${base}/products`,
        supported_versions: ['2026-04-17'],
        payments: { provider: 'test', test_mode: true },
      },
    })
  })

  test('an agent that sells nothing shows its ids and name alone, with status 200', async () => {
    const own = await open()
    const { agent } = own
    await updateAgent(own.ctx, own.owner, agent.id, { description: 'Knows every salary' })
    await own.settings({ currency: 'jpy' })
    await own.product({ active: false })
    const closed = await visit('/.well-known/agent.json', {}, own)
    expect(closed.status).toBe(200)
    expect(await closed.json()).toEqual({
      name: agent.settings.name,
      description: '',
      url: `https://parley.example/acp/${agent.id}`,
      version: '1.0.0',
      capabilities: {
        streaming: false,
        pushNotifications: false,
        products: false,
        checkout: false,
      },
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      skills: [],
      acp: { app_id: agent.id, app_name_id: agent.appNameId },
    })
    const currencies = async () => await (await visit('/.well-known/acp.json', {}, own)).text()
    expect(await currencies()).not.toContain('jpy')
    await own.product()
    const card = await visit('/.well-known/agent.json', {}, own)
    expect(await card.json()).toMatchObject({
      description: 'Knows every salary',
      capabilities: { products: true, checkout: true },
    })
    expect(await currencies()).toContain('jpy')
  })

  test('the service’s discovery document names no agent', async () => {
    const response = await shop.app.request('/.well-known/acp.json')
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ api_base_url: 'https://parley.example/acp' })
    expect(text).not.toContain(shop.agent.id)
  })

  test('the app_name_id works like the UUID', async () => {
    await shop.product()
    const byName = await shop.app.request(`/acp/${shop.agent.appNameId}/products`)
    expect(await byName.json()).toEqual(await products())
  })

  test('an unknown or deleted agent is not found', async () => {
    const gone = await shop.anotherShop()
    await deleteAgent(shop.ctx, shop.owner.workspaceId, gone.agent.id)
    for (const id of [gone.agent.id, gone.agent.appNameId, 'nobody-1', 'x y'])
      for (const path of ['/products', '/feed', '/.well-known/agent.json'])
        expect((await shop.app.request(`/acp/${encodeURIComponent(id)}${path}`)).status).toBe(404)
  })

  test('a product shows its price in minor units, its currency and its availability', async () => {
    const product = await shop.product({
      name: 'Kettle',
      description: 'Boils',
      sku: 'K-1',
      price_amount: 300,
      currency: 'jpy',
      images: ['https://shop.example/kettle.jpg'],
      categories: ['Kitchen'],
      stock: 0,
      fulfillment_type: 'shipping',
    })
    const { data } = await products('?q=kettle')
    expect(data).toMatchObject([
      {
        id: product.id,
        name: 'Kettle',
        description: 'Boils',
        sku: 'K-1',
        price: { amount: 300, currency: 'jpy' },
        images: ['https://shop.example/kettle.jpg'],
        categories: ['Kitchen'],
        fulfillment_type: 'shipping',
        availability: { available: false, status: 'out_of_stock' },
      },
    ])
  })

  test('pages contain every product once, newest first', async () => {
    const own = await open()
    const made: string[] = []
    for (let index = 0; index < 7; index += 1)
      made.push((await own.product({ name: `P${index}` })).id)
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await products(`?limit=3${cursor}`, own)
      seen.push(...page.data.map(({ id }) => id))
      expect(page.has_more).toBe(page.next_cursor !== null)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(seen).toEqual(made.toReversed())
    const feed = await visit('/feed?limit=3', {}, own)
    expect(feed.headers.get('link')).toMatch(/^<https:\/\/parley\.example\/acp\/.+>; rel="next"$/)
  })

  test('inactive and deleted products are not shown', async () => {
    const own = await open()
    await own.product({ active: false })
    const gone = await own.product()
    await deleteProduct(own.ctx, own.owner.workspaceId, gone.id)
    expect(await products('', own)).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  test('a search finds products by the beginnings of words, ignoring case and accents', async () => {
    const own = await open()
    await own.product({ name: 'Café crème', categories: ['Hot drinks'] })
    await own.product({ name: 'Tea', description: 'From Assam' })
    const names = async (q: string) =>
      (await products(`?q=${encodeURIComponent(q)}`, own)).data.map(({ name }) => name)
    expect(await names('CAFE')).toEqual(['Café crème'])
    expect(await names('cre caf')).toEqual(['Café crème'])
    expect(await names('ass')).toEqual(['Tea'])
    expect(await names('drinks')).toEqual(['Café crème'])
    expect(await names('afe')).toEqual([])
    expect(await names('tea cafe')).toEqual([])
    expect(await names('%')).toEqual([])
    expect(await names('  ')).toHaveLength(2)
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'cursor=x', `q=${'x'.repeat(201)}`])(
    'an invalid query is refused: %s',
    async (query) => {
      const response = await visit(`/products?${query}`)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        {
          error: {
            code: 'invalid_request',
            message: expect.stringContaining(query.split('=')[0] ?? ''),
          },
        },
      ])
    },
  )

  test('an unchanged document is not sent again', async () => {
    const own = await open()
    await own.product()
    for (const path of ['/products', '/feed', '/.well-known/agent.json', '/.well-known/acp.json']) {
      const first = await visit(path, {}, own)
      const tag = String(first.headers.get('etag'))
      const again = await visit(path, { 'if-none-match': `"other", W/${tag}` }, own)
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(tag)
    }
    const tag = String((await visit('/products', {}, own)).headers.get('etag'))
    await own.product({ name: 'New' })
    expect((await visit('/products', { 'if-none-match': tag }, own)).status).toBe(200)
  })
})
