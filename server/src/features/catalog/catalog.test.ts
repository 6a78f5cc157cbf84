import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import {
  commercePatch,
  deleteProduct,
  getCommerceSettings,
  importProducts,
  listProducts,
  productPatch,
  reserveStock,
  returnStock,
  updateCommerceSettings,
  upsertProduct,
} from './index.ts'

describeInstance('the catalogue of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Shop' })
  })

  const put = (fields: Parameters<typeof upsertProduct>[3], appId = agent.id) =>
    upsertProduct(instance.ctx, ada.workspaceId, appId, fields)

  const all = async (appId = agent.id) =>
    (await listProducts(instance.ctx, ada.workspaceId, appId, { limit: 100 })).items

  test('a new product needs a name and a price, and is on sale in the agent’s currency', async () => {
    const product = await put({ name: 'Cup', price_amount: 500 })
    expect(product).toMatchObject({
      priceMinor: 500,
      currency: 'usd',
      stock: null,
      fulfillmentType: 'shipping',
      active: true,
    })
    for (const field of ['name', 'price_amount'] as const)
      await expect(
        put({ name: 'Cup', price_amount: 500, [field]: undefined }),
      ).rejects.toMatchObject({ code: 'product_field_missing', facts: { field } })
  })

  test('omitted fields stay; null clears a field', async () => {
    const made = await put({ name: 'Bowl', price_amount: 700, sku: 'B-1', stock: 4 })
    const changed = await put({ productId: made.id, price_amount: 800 })
    expect(changed).toMatchObject({ id: made.id, name: 'Bowl', priceMinor: 800, stock: 4 })
    expect(await put({ productId: made.id, stock: null, sku: null })).toMatchObject({
      stock: null,
      sku: null,
    })
  })

  test('the sku finds the product to change, within one agent', async () => {
    const made = await put({ name: 'Jug', price_amount: 900, sku: 'J-1' })
    expect(await put({ sku: 'J-1', price_amount: 950 })).toMatchObject({ id: made.id, name: 'Jug' })
    const other = await createAgent(instance.ctx, ada, { name: 'Other' })
    const there = await put({ name: 'Their jug', price_amount: 1, sku: 'J-1' }, other.id)
    expect(there.id).not.toBe(made.id)
    const rival = await put({ name: 'Rival', price_amount: 1, sku: 'J-2' })
    await expect(put({ productId: rival.id, sku: 'J-1' })).rejects.toMatchObject({
      code: 'sku_taken',
    })
    await deleteProduct(instance.ctx, ada.workspaceId, made.id)
    expect(await put({ productId: rival.id, sku: 'J-1' })).toMatchObject({ sku: 'J-1' })
  })

  test('the same new sku twice at once is one product', async () => {
    const own = await createAgent(instance.ctx, ada, { name: 'Race' })
    const made = await Promise.all(
      Array.from({ length: 6 }, () => put({ name: 'Once', price_amount: 1, sku: 'S' }, own.id)),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await all(own.id)).toHaveLength(1)
  })

  test.each([
    [{ price_amount: -1 }],
    [{ price_amount: 1.5 }],
    [{ price_amount: 1_000_000_001 }],
    [{ currency: 'xyz' }],
    [{ stock: -1 }],
    [{ images: ['javascript:alert(1)'] }],
    [{ name: '  ' }],
    [{ fulfillment_type: 'teleport' }],
  ])('%j is not a product', (fields) => {
    expect(productPatch.safeParse(fields).success).toBe(false)
  })

  test('stock never drops below zero, even with many buyers at once', async () => {
    const product = await put({ name: 'Rare', price_amount: 1, stock: 5 })
    const line = [{ productId: product.id, quantity: 1 }]
    const taken = await Promise.all(
      Array.from({ length: 12 }, () =>
        instance.ctx.db.write((tx) => reserveStock(tx, agent.id, line)),
      ),
    )
    expect(taken.filter(Boolean)).toHaveLength(5)
    const [left] = (await all()).filter(({ id }) => id === product.id)
    expect(left?.stock).toBe(0)
  })

  test('a cart with one missing item takes no stock', async () => {
    const plenty = await put({ name: 'Plenty', price_amount: 1, stock: 9 })
    const rare = await put({ name: 'Rare', price_amount: 1, stock: 1 })
    const cart = [
      { productId: plenty.id, quantity: 2 },
      { productId: rare.id, quantity: 2 },
    ]
    const isTaken = await instance.ctx.db.write((tx) => reserveStock(tx, agent.id, cart))
    expect(isTaken).toBe(false)
    const stocks = new Map((await all()).map(({ id, stock }) => [id, stock]))
    expect([stocks.get(plenty.id), stocks.get(rare.id)]).toEqual([9, 1])
    await instance.ctx.db.write((tx) => returnStock(tx, agent.id, cart))
    const after = new Map((await all()).map(({ id, stock }) => [id, stock]))
    expect([after.get(plenty.id), after.get(rare.id)]).toEqual([11, 3])
  })

  describe('a CSV', () => {
    const load = (csv: string) =>
      importProducts(instance.ctx, ada.workspaceId, { appId: agent.id, csv })

    test('creates and changes products, with lists in a cell', async () => {
      const csv = [
        'sku,name,price_amount,categories,stock,active,fulfillment_type',
        'CSV-1,"Pot, large",1200,Kitchen|Sale,3,yes,shipping',
        'CSV-2,E-book,900,,,no,digital',
      ].join('\r\n')
      expect(await load(csv)).toMatchObject({ created: 2, updated: 0 })
      const found = (await all()).find(({ sku }) => sku === 'CSV-1')
      expect(found).toMatchObject({
        name: 'Pot, large',
        priceMinor: 1200,
        categories: ['Kitchen', 'Sale'],
        stock: 3,
      })
      expect(await load('sku,price_amount\nCSV-1,1300\nCSV-2,')).toMatchObject({
        created: 0,
        updated: 2,
      })
      const after = (await all()).find(({ sku }) => sku === 'CSV-1')
      expect(after).toMatchObject({ name: 'Pot, large', priceMinor: 1300 })
      // Ids as another program writes them, and the empty columns that spreadsheets leave.
      const byId = `product_id,price_amount,,\n${after?.id.toUpperCase()},1400,,`
      expect(await load(byId)).toMatchObject({ created: 0, updated: 1 })
    })

    test.each([
      ['name,cost\nCup,1', 'line 1: no such column: cost'],
      ['name,price_amount', 'line 1: there is no product below the header'],
      ['name,price_amount\nCup,1.5', 'line 2: price_amount: must be a whole number'],
      ['name,price_amount\n"Cup,1', 'a quote is not closed or stands alone, at character 18'],
      ['name,price_amount\nA,1\n,2', 'line 3: a new product needs name'],
      [
        'name,price_amount\nPot, large,1',
        'line 2: there are more cells than columns; a cell with a comma is quoted',
      ],
      [
        'name,description,price_amount\nA,"two\nlines",1\n\nB,,x',
        'line 5: price_amount: must be a whole number',
      ],
      [`product_id,price_amount\n${newId()},1`, 'line 2: product_id: there is no such product'],
    ])('%j is refused as a whole', async (csv, problem) => {
      const before = (await all()).length
      const attempt = Promise.resolve().then(() => load(csv))
      await expect(attempt).rejects.toMatchObject({
        code: 'csv_invalid',
        facts: { lines: [problem] },
      })
      expect((await all()).length).toBe(before)
    })
  })

  describe('its commerce settings', () => {
    test('a new agent has one shipping option, free and standard, in dollars, without tax', async () => {
      const fresh = await createAgent(instance.ctx, ada, { name: 'Fresh' })
      const { settings } = await getCommerceSettings(instance.ctx, ada.workspaceId, fresh.id)
      expect(settings).toMatchObject({
        currency: 'usd',
        shipping_options: [{ id: 'standard', title: 'Standard shipping', price_amount: 0 }],
        tax: { rates: [], prices_include_tax: false },
        links: {},
      })
    })

    test('a change replaces the named settings and leaves the rest', async () => {
      const patch = commercePatch.parse({ currency: 'EUR', links: { terms: 'https://a.example' } })
      const { settings } = await updateCommerceSettings(
        instance.ctx,
        ada.workspaceId,
        agent.id,
        patch,
      )
      expect(settings).toMatchObject({ currency: 'eur', shipping_options: [{ id: 'standard' }] })
      expect(await put({ name: 'Euro', price_amount: 1 })).toMatchObject({ currency: 'eur' })
    })

    test('of two editors who change the same settings at once, the second learns of the first', async () => {
      const { ctx } = instance
      const { revision } = await getCommerceSettings(ctx, ada.workspaceId, agent.id)
      const change = (terms: string) =>
        updateCommerceSettings(ctx, ada.workspaceId, agent.id, { links: { terms } }, revision)
      const attempts = ['https://a.example/1', 'https://a.example/2'].map(change)
      const results = await Promise.allSettled(attempts)
      const refused = results.filter((one) => one.status === 'rejected')
      expect(refused).toMatchObject([{ reason: { code: 'commerce_settings_changed' } }])
      const [changed] = results.filter((one) => one.status === 'fulfilled')
      expect(await getCommerceSettings(ctx, ada.workspaceId, agent.id)).toEqual(changed?.value)
    })

    test.each([
      [
        {
          shipping_options: [
            { id: 'a', title: 'A' },
            { id: 'a', title: 'B' },
          ],
        },
      ],
      [{ tax: { rates: [{ percent: 101 }] } }],
      [{ tax: { rates: [{ percent: 8.12345 }] } }],
      [{ discount_codes: [{ code: 'X', name: 'X' }] }],
      [{ discount_codes: [{ code: 'X', name: 'X', percent_off: 1, amount_off: 1 }] }],
      [{ links: { terms: 'javascript:alert(1)' } }],
      [{ links: { imprint: 'https://a.example' } }],
    ])('%j is refused', (patch) => {
      expect(commercePatch.safeParse(patch).success).toBe(false)
    })
  })

  test('is out of reach for another tenant', async () => {
    const product = await put({ name: 'Mine', price_amount: 1 })
    const { workspaceId } = await instance.person()
    const notFound = { code: 'record_not_found' }
    const { ctx } = instance
    for (const attempt of [
      () => upsertProduct(ctx, workspaceId, agent.id, { name: 'x', price_amount: 1 }),
      () => deleteProduct(ctx, workspaceId, product.id),
      () => listProducts(ctx, workspaceId, agent.id, { limit: 1 }),
      () => getCommerceSettings(ctx, workspaceId, agent.id),
      () => updateCommerceSettings(ctx, workspaceId, agent.id, { currency: 'usd' }),
    ])
      await expect(attempt()).rejects.toMatchObject(notFound)
  })
})
