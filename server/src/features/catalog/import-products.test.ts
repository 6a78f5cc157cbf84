import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { importProducts, listProducts, reserveStock, upsertProduct } from './index.ts'

const limit = 6000

describeInstance('an import of products', (open) => {
  let instance: TestInstance
  let ada: Person
  let agentId: string

  beforeAll(async () => {
    instance = await open({ LIMITS: `products_per_agent=${limit}` })
    ada = await instance.person()
    agentId = await newAgent()
  })

  async function newAgent(): Promise<string> {
    return (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
  }

  const load = (csv: string, appId = agentId, ctx: Context = instance.ctx) =>
    counted(importProducts(ctx, ada.workspaceId, { appId, csv }))

  async function counted(importing: ReturnType<typeof importProducts>) {
    const { created, updated } = await importing
    return { created, updated }
  }

  const find = async (q: string, appId = agentId) =>
    (await listProducts(instance.ctx, ada.workspaceId, appId, { limit: 100, q })).items

  const put = (fields: Parameters<typeof upsertProduct>[3], appId = agentId) =>
    upsertProduct(instance.ctx, ada.workspaceId, appId, fields)

  /** All rows of an agent, the hidden and deleted ones too. */
  async function stored(appId: string): Promise<number> {
    const row = await instance.ctx.db.read
      .selectFrom('products')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('agent_id', '=', appId)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }

  /** The context with a database that first runs other work whenever an import shows its products. */
  function overtaken(work: (time: number) => Promise<unknown>): Context {
    const { db } = instance.ctx
    let times = 0
    const write: typeof db.write = async (unit, options) => {
      if (options?.isHidden !== true) await work((times += 1))
      return await db.write(unit, options)
    }
    return { ...instance.ctx, db: { ...db, write } }
  }

  describe('of 5,000 lines', () => {
    const lines = (from: number, word: string) =>
      Array.from({ length: 5000 }, (_, n) => `S-${from + n},${word} ${from + n},${n},shipping`)
    const csv = (from: number, word: string) =>
      ['sku,name,price_amount,fulfillment_type', ...lines(from, word)].join('\n')

    test('creates all of them, then changes all of them under the same ids', async () => {
      const appId = await newAgent()
      expect(await load(csv(0, 'Cup'), appId)).toEqual({ created: 5000, updated: 0 })
      const [cup] = await find('4321', appId)
      expect(cup).toMatchObject({ sku: 'S-4321', name: 'Cup 4321', priceMinor: 4321, stock: null })
      expect(await load(csv(0, 'Mug'), appId)).toEqual({ created: 0, updated: 5000 })
      expect(await find('4321', appId)).toMatchObject([{ id: cup?.id, name: 'Mug 4321' }])
      expect(await find('cup', appId)).toEqual([])
      const newest = await listProducts(instance.ctx, ada.workspaceId, appId, { limit: 1 })
      expect(newest.items).toMatchObject([{ sku: 'S-4999' }])
    })

    test('lets a neighbour write before it ends, in units of at most 1,000 products', async () => {
      const appId = await newAgent()
      const neighbour = await instance.person()
      const agent = await createAgent(instance.ctx, neighbour, { name: 'Neighbour' })
      const { db } = instance.ctx
      const order: string[] = []
      const sizes: number[] = []
      let before = 0
      const write: typeof db.write = async (unit, options) => {
        const result = await db.write(unit, options)
        const after = await stored(appId)
        sizes.push(after - before)
        before = after
        return result
      }
      const importing = load(csv(0, 'Cup'), appId, { ...instance.ctx, db: { ...db, write } })
      const imported = importing.then(() => order.push('import'))
      while (sizes.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const { workspaceId } = neighbour
      await upsertProduct(instance.ctx, workspaceId, agent.id, { name: 'Jug', price_amount: 1 })
      order.push('neighbour')
      await imported
      expect(order).toEqual(['neighbour', 'import'])
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
      expect(sizes.at(-1)).toBe(0)
    })

    test('that does not fit leaves nothing behind', async () => {
      const appId = await newAgent()
      await load(csv(0, 'Cup'), appId)
      await expect(load(csv(3000, 'Mug'), appId)).rejects.toMatchObject({ code: 'limit_reached' })
      expect(await find('mug', appId)).toEqual([])
      expect(await stored(appId)).toBe(5000)
      // Room that is taken while the import runs.
      const last = overtaken(() =>
        load(csv(5000, 'Pot').split('\n').slice(0, 1001).join('\n'), appId),
      )
      await expect(load('name,price_amount\nBowl,1', appId, last)).rejects.toMatchObject({
        code: 'limit_reached',
      })
      expect(await find('bowl', appId)).toEqual([])
      expect(await stored(appId)).toBe(limit)
    })
  })

  test('that fails while other products are being stored leaves none of them behind', async () => {
    const appId = await newAgent()
    const { db } = instance.ctx
    let units = 0
    const write: typeof db.write = async (unit, options) => {
      units += 1
      if (units === 3) throw new Error('the third unit fails')
      if (units === 2) await sleep(300)
      return await db.write(unit, options)
    }
    const lines = Array.from({ length: 3000 }, (_, n) => `Cup ${n},${n}`)
    const csv = ['name,price_amount', ...lines].join('\n')
    const ctx = { ...instance.ctx, db: { ...db, write } }
    await expect(load(csv, appId, ctx)).rejects.toThrow('the third unit fails')
    expect(units).toBeGreaterThan(3)
    await sleep(400)
    expect(await stored(appId)).toBe(0)
  })

  test('keeps what it has shown when the answer of the database is lost', async () => {
    const appId = await newAgent()
    const { db } = instance.ctx
    const write: typeof db.write = async (unit, options) => {
      const result = await db.write(unit, options)
      if (options?.isHidden !== true) throw new Error('the connection is lost')
      return result
    }
    const ctx = { ...instance.ctx, db: { ...db, write } }
    await expect(load('name,price_amount\nKept,1', appId, ctx)).rejects.toThrow('connection')
    expect(await find('kept', appId)).toMatchObject([{ name: 'Kept' }])
  })

  test('with a sku twice stores one product, as its last line says', async () => {
    const csv = 'sku,name,price_amount,stock\nTWICE,Lid,100,3\nTWICE,,200,'
    expect(await load(csv)).toEqual({ created: 1, updated: 1 })
    expect(await find('twice')).toMatchObject([{ name: 'Lid', priceMinor: 200, stock: 3 }])
    expect(await load(csv)).toEqual({ created: 0, updated: 2 })
    expect(await find('twice')).toHaveLength(1)
  })

  test('may exchange skus, and give a new product one that a line before it has freed', async () => {
    const one = await put({ name: 'One', price_amount: 1, sku: 'X-1' })
    const two = await put({ name: 'Two', price_amount: 1, sku: 'X-2' })
    const lines = [`${one.id},X-0,,`, `${two.id},X-1,,`, `${one.id},X-2,,`, `,X-0,Three,3`]
    const csv = `product_id,sku,name,price_amount\n${lines.join('\n')}`
    expect(await load(csv)).toEqual({ created: 1, updated: 3 })
    expect(await find('X-1')).toMatchObject([{ id: two.id, name: 'Two' }])
    expect(await find('X-2')).toMatchObject([{ id: one.id, name: 'One' }])
    expect(await find('X-0')).toMatchObject([{ name: 'Three' }])
  })

  test('names the first line whose sku another product has, and stores none', async () => {
    const kept = await put({ name: 'Holder', price_amount: 1, sku: 'HELD' })
    const other = await put({ name: 'Other', price_amount: 1 })
    const before = await stored(agentId)
    const csv = `product_id,sku,name,price_amount\n,NEW,New,1\n${other.id},HELD,,\n,,,`
    await expect(load(csv)).rejects.toMatchObject({
      code: 'csv_invalid',
      facts: { lines: ['line 3: another product has the sku HELD'] },
    })
    expect(await find('HELD')).toMatchObject([{ id: kept.id }])
    expect(await stored(agentId)).toBe(before)
  })

  test('finds changed products by the words that they have now', async () => {
    const appId = await newAgent()
    await load('sku,name,price_amount\nW1,red wool cap,1\nW2,red silk cap,1\nW3,red hat,1', appId)
    await load('sku,name\nW1,blue wool cap\nW2,red silk hat\nW3,', appId)
    const found = async (q: string) => (await find(q, appId)).map(({ sku }) => sku).toSorted()
    expect(await found('red')).toEqual(['W2', 'W3'])
    expect(await found('blue')).toEqual(['W1'])
    expect(await found('cap')).toEqual(['W1'])
    expect(await found('hat')).toEqual(['W2', 'W3'])
    expect(await found('hat red')).toEqual(['W2', 'W3'])
    expect(await found('w1 wool')).toEqual(['W1'])
    expect(await found('wool hat')).toEqual([])
    const { terms } = await instance.ctx.db.read
      .selectFrom('product_terms')
      .select((e) => e.fn.countAll<number>().as('terms'))
      .where('agent_id', '=', appId)
      .executeTakeFirstOrThrow()
    expect(Number(terms)).toBe(11)
  })

  test('finds words beyond the basic plane, however long', async () => {
    const word = '𝒜'.repeat(60)
    await load(`name,price_amount\n${'a'.repeat(39)}𐐨𐐨 ${word},1`)
    expect(await find('𐐨')).toEqual([])
    expect(await find('a'.repeat(39))).toHaveLength(1)
  })

  describe('that others overtake', () => {
    test('starts again when a product that it changes was changed', async () => {
      const jar = await put({ name: 'Jar', price_amount: 1, sku: 'JAR' })
      const ctx = overtaken(async (time) => {
        if (time === 1) await put({ productId: jar.id, name: 'Tin', description: 'Blue' })
      })
      const before = await stored(agentId)
      expect(await load('sku,name,price_amount\nJAR,,5\nLID,Cover,2', agentId, ctx)).toEqual({
        created: 1,
        updated: 1,
      })
      const changed = { id: jar.id, name: 'Tin', description: 'Blue', priceMinor: 5 }
      expect(await find('blue')).toMatchObject([changed])
      expect(await stored(agentId)).toBe(before + 1)
    })

    test('starts again when a product that it creates was created', async () => {
      const ctx = overtaken(async (time) => {
        if (time === 1) await put({ name: 'First', price_amount: 1, sku: 'RACE' })
      })
      const csv = 'sku,name,price_amount\nRACE,Second,2'
      expect(await load(csv, agentId, ctx)).toEqual({ created: 0, updated: 1 })
      expect(await find('race')).toMatchObject([{ name: 'Second' }])
    })

    test('is not started again by a line that it rejects', async () => {
      const appId = await newAgent()
      const [first] = await Promise.all(
        ['A', 'B'].map((sku) => put({ sku, name: sku, price_amount: 1 }, appId)),
      )
      let shown = 0
      const ctx = overtaken((time) => Promise.resolve((shown = time)))
      const lines = Array.from({ length: 100 }, (_, n) => `,N-${n},Cup,1,shipping`)
      const header = 'product_id,sku,name,price_amount,fulfillment_type'
      const csv = [header, `${first?.id},B,Other,1,shipping`, ...lines].join('\n')
      const importing = importProducts(ctx, ada.workspaceId, { appId, csv, partial: true })
      expect(await importing).toMatchObject({ created: 100, updated: 0, rejected: 1 })
      expect(shown).toBe(1)
    })

    test('is not started again by a change of a product that it does not name', async () => {
      const appId = await newAgent()
      await put({ sku: 'B-2', name: 'Beaker', price_amount: 1 }, appId)
      let times = 0
      const ctx = overtaken(async (time) => {
        times = time
        await put({ sku: 'B-2', price_amount: 1 + time }, appId)
      })
      const csv = 'sku,name,price_amount\nB-1,Beaker,1'
      expect(await load(csv, appId, ctx)).toEqual({ created: 1, updated: 0 })
      expect(times).toBe(1)
    })

    test('ends even if it is overtaken every time', async () => {
      const vase = await put({ name: 'Vase', price_amount: 1, sku: 'VASE' })
      const ctx = overtaken((time) => put({ productId: vase.id, description: `Change ${time}` }))
      expect(await load('sku,price_amount\nVASE,7', agentId, ctx)).toEqual({
        created: 0,
        updated: 1,
      })
      expect(await find('vase')).toMatchObject([{ priceMinor: 7, description: 'Change 4' }])
    })

    test('keeps the stock that was sold meanwhile, unless it sets the stock', async () => {
      const rug = await put({ name: 'Rug', price_amount: 1, sku: 'RUG', stock: 5 })
      const sold = overtaken(() =>
        instance.ctx.db.write((tx) =>
          reserveStock(tx, agentId, [{ productId: rug.id, quantity: 2 }]),
        ),
      )
      await load('sku,price_amount\nRUG,8', agentId, sold)
      expect(await find('rug')).toMatchObject([{ priceMinor: 8, stock: 3 }])
      await load('sku,stock\nRUG,9', agentId, sold)
      expect(await find('rug')).toMatchObject([{ stock: 9 }])
    })
  })
})
