import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { importProducts, listProducts, upsertProduct } from './index.ts'

const count = 40

describeInstance('an import that rewords many products', (open) => {
  let instance: TestInstance
  let ada: Person
  let agentId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  beforeEach(async () => {
    agentId = (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
    await load(worded('old'))
  })

  const load = (csv: string, ctx: Context = instance.ctx) =>
    importProducts(ctx, ada.workspaceId, { appId: agentId, csv })

  /** Lines with 250 words each: too many to reword the products in the last unit. */
  function worded(stem: string): string {
    const words = Array.from({ length: 250 }, (_, n) => `${stem}${n}`).join(' ')
    const lines = Array.from({ length: count }, (_, n) => `R${n},P${n},1,${words}`)
    return ['sku,name,price_amount,description', ...lines].join('\n')
  }

  const find = async (q: string) =>
    (await listProducts(instance.ctx, ada.workspaceId, agentId, { limit: 100, q })).items

  /** The products that the index has under a word. */
  const indexed = async (term: string) =>
    await instance.ctx.db.read
      .selectFrom('product_terms')
      .select('product_id')
      .where('agent_id', '=', agentId)
      .where('term', '=', term)
      .execute()

  /** The context with a database that first does something else whenever the import shows its changes. */
  function before(show: (time: number) => Promise<unknown>): Context {
    const { db } = instance.ctx
    let times = 0
    const write: typeof db.write = async (unit, options) => {
      if (options?.isHidden !== true) await show((times += 1))
      return await db.write(unit, options)
    }
    return { ...instance.ctx, db: { ...db, write } }
  }

  /** The context of a process that ends when the import shows its changes. */
  function dying(): Context {
    const { db } = instance.ctx
    let isDead = false
    const write: typeof db.write = async (unit, options) => {
      isDead ||= options?.isHidden !== true
      if (isDead) throw new Error('the process has died')
      return await db.write(unit, options)
    }
    return { ...instance.ctx, db: { ...db, write } }
  }

  test('is found by the new words only, and the index has no others', async () => {
    await load(worded('new'))
    expect(await find('new')).toHaveLength(count)
    expect(await find('old')).toEqual([])
    expect(await indexed('new0')).toHaveLength(count)
    expect(await indexed('old0')).toEqual([])
  })

  test('and whose process dies before the change changes no search, and can be repeated', async () => {
    await expect(load(worded('new'), dying())).rejects.toThrow('has died')
    expect(await indexed('new0')).toHaveLength(count)
    expect(await find('new')).toEqual([])
    expect(await find('old')).toHaveLength(count)
    await load(worded('other'))
    expect(await find('other')).toHaveLength(count)
    expect([await indexed('new0'), await indexed('old0')]).toEqual([[], []])
  })

  test('and whose words are not shown costs a search for one product few reads', async () => {
    await expect(load(worded('new'), dying())).rejects.toThrow('has died')
    const { db } = instance.ctx
    let reads = 0
    const scan = new Proxy(db.scan, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown => {
          if (given[0] === 'products') reads += 1
          return Reflect.apply(value, target, given)
        }
      },
    })
    const ctx = { ...instance.ctx, db: { ...db, scan } }
    const found = await listProducts(ctx, ada.workspaceId, agentId, { limit: 1, q: 'new' })
    expect(found).toEqual({ items: [], nextCursor: null })
    // Of 2, 4, 8, 16 and 32 products.
    expect(reads).toBeLessThanOrEqual(6)
  })

  test('and fails removes the words that it added', async () => {
    const failing = before(() => Promise.reject(new Error('the disk is full')))
    await expect(load(worded('new'), failing)).rejects.toThrow('the disk is full')
    expect(await indexed('new0')).toEqual([])
    expect(await indexed('old0')).toHaveLength(count)
    expect(await find('old')).toHaveLength(count)
  })

  test('and that other changes overtake each time changes nothing and says so', async () => {
    const [changed] = await find('R0')
    const overtaken = before((time) =>
      upsertProduct(instance.ctx, ada.workspaceId, agentId, {
        productId: changed?.id,
        description: `Change ${time}`,
      }),
    )
    await expect(load(`${worded('new')}\nN,New,1,`, overtaken)).rejects.toMatchObject({
      code: 'products_changed',
    })
    expect(await find('new')).toEqual([])
    expect(await indexed('new0')).toEqual([])
    expect(await find('old')).toHaveLength(count - 1)
    expect(await find('change')).toMatchObject([{ id: changed?.id, description: 'Change 3' }])
    const rows = instance.ctx.db.read.selectFrom('products').select('id')
    expect(await rows.where('agent_id', '=', agentId).execute()).toHaveLength(count)
  })

  test('never loses a word of an import that began while it removed former words', async () => {
    const second: Promise<unknown>[] = []
    const { db } = instance.ctx
    let isShown = false
    const write: typeof db.write = async (unit, options) => {
      const result = await db.write(unit, options)
      // The former words are still in the index.
      if (options?.isHidden !== true) isShown = true
      else if (isShown && second.length === 0) second.push(load(worded('old')))
      return result
    }
    await load(worded('new'), { ...instance.ctx, db: { ...db, write } })
    expect(await Promise.all(second)).toMatchObject([{ created: 0, updated: count }])
    expect(await find('old')).toHaveLength(count)
    expect(await find('new')).toEqual([])
    expect(await indexed('old0')).toHaveLength(count)
    expect(await indexed('new0')).toEqual([])
  })
})
