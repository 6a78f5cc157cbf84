import { beforeAll, expect, test } from 'vitest'
import {
  address,
  amountOf,
  buyer,
  describeShop,
  sessionOf,
  type Shop,
} from '#test/support/commerce/shop.ts'

describeShop('choosing how it is delivered', (open) => {
  let shop: Shop
  let pot: string

  beforeAll(async () => {
    shop = await open()
    const place = { ...address, country: 'US' }
    await shop.settings({
      shipping_options: [
        { id: 'slow', title: 'Slow', description: '', price_amount: 300 },
        { id: 'fast', title: 'Fast', description: '', price_amount: 900 },
        { id: 'town', title: 'By bicycle', description: '', price_amount: 0 },
      ],
      pickup_locations: [{ id: 'town', title: 'In town', address: place }],
    })
    pot = (await shop.product({ fulfillment_type: 'shipping' })).id
  })

  const cart = (more: object) => ({
    line_items: [{ product_id: pot, quantity: 1 }],
    buyer,
    fulfillment_details: { address },
    ...more,
  })
  const select = (...options: object[]) => ({ selected_fulfillment_options: options })
  const slow = { type: 'shipping', option_id: 'slow' }
  const fast = { type: 'shipping', option_id: 'fast' }

  /** The same choice in the create request and in a later update. */
  async function both(choice: object, more: object = {}): Promise<Response[]> {
    const { id } = await sessionOf(shop.post('/checkout_sessions', cart(more)))
    return [
      await shop.post('/checkout_sessions', cart({ ...more, ...choice })),
      await shop.post(`/checkout_sessions/${id}`, choice),
    ]
  }

  test.each([
    ['an option', select(fast), 900],
    ['the second of its type', select(slow), 300],
    ['one that is named twice', select(fast, fast), 900],
    ['one by its id alone', select({ option_id: 'fast' }), 900],
    ['one as the protocol’s examples name it', select({ type: 'shipping', id: 'fast' }), 900],
    [
      'one in the shape of 2025-12-12',
      select({ type: 'shipping', shipping: { option_id: 'fast' } }),
      900,
    ],
    ['one in the shape of 2025-09-29', { fulfillment_option_id: 'fast' }, 900],
  ])('%s is the paid one', async (_, choice, fulfillment) => {
    for (const response of await both(choice)) {
      const session = await sessionOf(response)
      expect(session.status).toBe('ready_for_payment')
      expect(session.selected_fulfillment_options).toHaveLength(1)
      expect(amountOf(session.totals, 'fulfillment')).toBe(fulfillment)
    }
  })

  test.each([
    ['two of one type', select(slow, fast), /slow and fast are both of the type shipping/],
    [
      'two for different items',
      select({ ...slow, item_ids: ['li_a'] }, { ...fast, item_ids: ['li_b'] }),
      /choose one for all items/,
    ],
    [
      'one that is not offered',
      select({ type: 'shipping', option_id: 'drone' }),
      /drone is not among/,
    ],
    ['one of another type', select({ type: 'digital', option_id: 'fast' }), /fast is not among/],
    ['another letter case', select({ type: 'shipping', option_id: 'FAST' }), /FAST is not among/],
  ])('%s: 400 explains the error, in create and in update', async (_, choice, message) => {
    for (const response of await both(choice))
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: { code: 'invalid_fulfillment_option', message: expect.stringMatching(message) } },
      ])
  })

  test('a type alone selects nothing: the error names the missing field', async () => {
    for (const response of await both(select({ type: 'shipping' })))
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: {
            code: 'missing',
            message: 'selected_fulfillment_options[0].option_id is required',
          },
        },
      ])
  })

  test('an id shared by options of two types needs the type', async () => {
    const book = await shop.product({ fulfillment_type: 'pickup' })
    const line_items = [pot, book.id].map((product_id) => ({ product_id, quantity: 1 }))
    for (const response of await both(select({ option_id: 'town' }), { line_items }))
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: expect.stringContaining('give the type') } },
      ])
    const chosen = select({ type: 'shipping', option_id: 'town' })
    for (const response of await both(chosen, { line_items }))
      expect(await sessionOf(response)).toMatchObject({
        status: 'ready_for_payment',
        selected_fulfillment_options: [
          { type: 'shipping', option_id: 'town' },
          { type: 'pickup', option_id: 'town' },
        ],
      })
  })
})
