import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { listAgentKeys } from '#features/api-keys/index.ts'
import { updateCommerceSettings, upsertProduct } from '#features/catalog/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { placeTestOrder } from './index.ts'

describeInstance('a test order', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  const newAgent = async () => (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
  const sell = (appId: string, fields: object = {}) =>
    upsertProduct(instance.ctx, ada.workspaceId, appId, {
      name: 'Pot',
      price_amount: 500,
      stock: 1,
      ...fields,
    })

  test('buys the newest product for sale, without a key that stays', async () => {
    const appId = await newAgent()
    await sell(appId)
    await sell(appId, { name: 'Lid', active: false })
    const order = await placeTestOrder(instance.ctx, ada, appId)
    expect(order).toMatchObject({ isTest: true, lines: [{ title: 'Pot', quantity: 1 }] })
    const filter = { kind: 'acp', appId } as const
    const { items } = await listAgentKeys(instance.ctx, ada.workspaceId, filter, { limit: 9 })
    expect(items).toEqual([])
    // Its stock is sold.
    await expect(placeTestOrder(instance.ctx, ada, appId)).rejects.toMatchObject({
      facts: { reason: 'no product is for sale and in stock' },
    })
  })

  test('chooses a delivery and a country that the shop offers', async () => {
    const appId = await newAgent()
    await updateCommerceSettings(instance.ctx, ada.workspaceId, appId, {
      shipping_options: [
        { id: 'a', title: 'Parcel', description: '', price_amount: 100, countries: ['DE'] },
        { id: 'b', title: 'Express', description: '', price_amount: 900, countries: ['DE'] },
      ],
    })
    await sell(appId)
    const order = await placeTestOrder(instance.ctx, ada, appId)
    expect(order.recipient?.address?.country).toBe('DE')
    expect(order.totals).toMatchObject({ subtotal: 500, fulfillment: 100 })
  })

  test('reports why the checkout refuses it', async () => {
    const appId = await newAgent()
    const { id } = await sell(appId, { stock: 0 })
    await expect(placeTestOrder(instance.ctx, ada, appId, id)).rejects.toMatchObject({
      code: 'test_order_refused',
      facts: { reason: 'the checkout reports out of stock' },
    })
  })

  describe('while payments are real', () => {
    test('is refused', async () => {
      const payments = { ...instance.ctx.payments, provider: 'stripe' as const, isTest: false }
      const appId = await newAgent()
      await sell(appId)
      const order = placeTestOrder({ ...instance.ctx, payments }, ada, appId)
      await expect(order).rejects.toMatchObject({
        facts: { reason: 'payments are real' },
      })
    })
  })
})
