import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { buyer, describeShop, sessionOf, type Shop } from '#test/support/commerce/shop.ts'

describeShop('requests without a body, as they come over a wire', (open) => {
  let shop: Shop
  let base: string

  beforeAll(async () => {
    shop = await open()
    base = await shop.listen()
  })

  /** Sends neither length nor type, which `fetch` would add. */
  async function barePost(path: string, headers: Record<string, string> = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
    const authorization = `Bearer ${shop.key}`
    const url = `${base}/acp/${shop.agent.id}${path}`
    const asked = request(url, { method: 'POST', headers: { authorization, ...headers } })
    if (!('content-length' in headers))
      for (const name of ['content-length', 'transfer-encoding']) asked.removeHeader(name)
    asked.on('error', reject).on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    asked.end()
    return await promise
  }

  async function ready(): Promise<string> {
    const { id } = await shop.product()
    const line_items = [{ product_id: id, quantity: 1 }]
    return (await sessionOf(shop.post('/checkout_sessions', { line_items, buyer }))).id
  }

  test.each([{}, { 'content-type': 'application/json' }, { 'content-length': '0' }])(
    'with %j a session is completed, and another canceled',
    async (headers) => {
      for (const [action, status] of [
        ['complete', 'completed'],
        ['cancel', 'canceled'],
      ] as const) {
        const answer = await barePost(`/checkout_sessions/${await ready()}/${action}`, headers)
        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { status }])
      }
      expect(await barePost('/checkout_sessions', headers)).toEqual({
        status: 400,
        body: '{"error":{"code":"missing","message":"line_items is required"}}',
      })
    },
  )

  test('query parameters of the products without a value are ignored', async () => {
    const all = await (await shop.get('/products')).json()
    const response = await shop.get('/products?q=&limit=&cursor=')
    expect([response.status, await response.json()]).toEqual([200, all])
  })

  test.each([
    ['/products?limit=0', 'limit: must be a whole number from 1 to 100'],
    ['/products?limit=101', 'limit: must be a whole number from 1 to 100'],
    ['/products?limit=x', 'limit: must be a whole number from 1 to 100'],
    ['/feed?limit=1001', 'limit: must be a whole number from 1 to 1000'],
    ['/products?cursor=x', 'cursor: is not a next_cursor of this list'],
  ])('%s is refused with a clear message', async (path, message) => {
    const response = await shop.get(path)
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { code: 'invalid_request', message } },
    ])
  })
})
