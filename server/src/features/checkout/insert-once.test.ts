import { beforeAll, expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'

describeShop('a new checkout', (open) => {
  let shop: Shop
  let cart: { readonly line_items: readonly unknown[]; readonly [name: string]: unknown }

  beforeAll(async () => {
    shop = await open()
    const { id } = await shop.product({ price_amount: 700 })
    cart = { currency: 'usd', capabilities: {}, line_items: [{ product_id: id, quantity: 2 }] }
  })

  const post = (headers?: Record<string, string>, at = shop) =>
    at.post('/checkout_sessions', cart, headers)

  /** The same shop in a process whose database refuses units of several statements. */
  function withoutUnits(): Promise<Shop> {
    const { db } = shop.ctx
    const write: Database['write'] = () => Promise.reject(new Error('this is a unit'))
    return shop.process({ db: { ...db, write } })
  }

  test('is stored by one statement, with its answer on PostgreSQL, too', async () => {
    const process = await withoutUnits()
    expect((await post({}, process)).status).toBe(201)
    const headers = strict('one-statement')
    if (shop.ctx.db.engine === 'sqlite') return
    const first = await sessionOf(post(headers, process))
    expect(await sessionOf(post(headers))).toEqual(first)
    const stored = await sessionOf(shop.get(`/checkout_sessions/${first.id}`))
    expect(stored).toMatchObject({ id: first.id, line_items: first.line_items })
  })
})
