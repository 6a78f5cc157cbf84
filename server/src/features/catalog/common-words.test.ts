import { sql, type RootOperationNode } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import type { Reader } from '#platform/db/database.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { importProducts } from './import-products.ts'
import { listProducts, listProductsOnSale } from './list-products.ts'

const count = 2_000
/** More products than this have each of these words: they are not looked up at once. */
const many = 200

/** Products that a search for common words checks before it looks the words up. */
const newestChecked = 1_000

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows of products PostgreSQL reads for a statement. */
async function productsRead(reader: Reader, node: RootOperationNode): Promise<number> {
  const statement = { toOperationNode: () => node }
  const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>`
    explain (analyze, format json) ${statement}
  `.execute(reader)
  const readBy = (plan: PlanNode): number => {
    const {
      'Rows Removed by Filter': removed = 0,
      'Rows Removed by Index Recheck': rechecked = 0,
    } = plan
    const own = (plan['Actual Rows'] + removed + rechecked) * plan['Actual Loops']
    const below = (plan.Plans ?? []).reduce((sum, one) => sum + readBy(one), 0)
    return below + (plan['Relation Name'] === 'products' ? own : 0)
  }
  return (rows[0]?.['QUERY PLAN'] ?? []).reduce((sum, { Plan }) => sum + readBy(Plan), 0)
}

const wordsOf = (n: number) => [
  n % 2 === 0 ? 'even' : 'odd',
  n % 5 === 0 ? 'fifth' : 'other',
  n < 450 ? 'early' : 'late',
  ...(n < 700 ? ['rare', 'seldom'] : []),
  ...(n >= 650 ? ['usual'] : []),
]

describeInstance('a search for words that many products have', (open) => {
  let instance: TestInstance
  let ada: Person
  let agentId = ''

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agentId = (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
    const lines = Array.from(
      { length: count },
      (_, n) => `S${n},${wordsOf(n).join(' ')},1,${n % 3 === 0 ? 'false' : 'true'}`,
    )
    const csv = ['sku,name,price_amount,active', ...lines].join('\n')
    await importProducts(instance.ctx, ada.workspaceId, { appId: agentId, csv })
  })

  /** All products that a search finds, in pages. */
  async function found(q: string, list: typeof listProducts): Promise<(string | null)[]> {
    const skus: (string | null)[] = []
    let cursor: string | undefined
    do {
      const page = await list(instance.ctx, ada.workspaceId, agentId, { limit: 90, q, cursor })
      skus.push(...page.items.map(({ sku }) => sku))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return skus
  }

  const onSale: typeof listProducts = async (ctx, workspaceId, id, search) =>
    await listProductsOnSale(ctx, { workspaceId, agentId: id }, search)

  test.each([
    'even',
    'early',
    'even odd',
    'early odd',
    'fifth early even',
    'late fifth',
    'e l',
    'early late',
    's1 ear',
    // More products than are looked up at once have the two rarest words, but not the third.
    'rare seldom usual',
    'usual rare even fifth late seldom odd other s u r l',
  ])('%s: finds each product that has all of them, newest first', async (q) => {
    const terms = q.split(' ')
    const expected = Array.from({ length: count }, (_, n) => n).filter((n) =>
      terms.every((term) => [...wordsOf(n), `s${n}`].some((word) => word.startsWith(term))),
    )
    const newest = (some: number[]) => some.toReversed().map((n) => `S${n}`)
    expect(await found(q, listProducts)).toEqual(newest(expected))
    expect(await found(q, onSale)).toEqual(newest(expected.filter((n) => n % 3 !== 0)))
  })

  test('a search for three words reads few products that have only two of them', async () => {
    let rows = 0
    const scan = instance.ctx.db.scan.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        rows += result.rows.length
        return result
      },
    })
    const ctx = { ...instance.ctx, db: { ...instance.ctx.db, scan } }
    const search = { limit: 90, q: 'rare seldom usual' }
    const { items } = await listProducts(ctx, ada.workspaceId, agentId, search)
    expect(items).toHaveLength(50)
    // Up to 200 uses of each word, 200 products that have the two rarest, and those with all three.
    expect(rows).toBeLessThan(1_000)
  })

  test('a search for words that never meet checks the newest products, and no others', async () => {
    const { ctx } = instance
    const statements: RootOperationNode[] = []
    const scan = ctx.db.scan.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const { items } = await listProducts({ ...ctx, db: { ...ctx.db, scan } }, ada.workspaceId, agentId, { limit: 90, q: 'even odd' }) // prettier-ignore
    expect(items).toEqual([])
    // SQLite does not say how many rows a statement has read.
    if (ctx.db.engine === 'sqlite') return
    const most = await ctx.db.write(async (tx) => {
      // The catalogue is small, but planned like a large one.
      for (const off of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
        await sql`set local ${sql.raw(off)} = off`.execute(tx)
      const read: number[] = []
      for (const node of statements) read.push(await productsRead(tx, node))
      return Math.max(...read)
    })
    // No statement reads the whole catalogue.
    expect(most).toBeGreaterThanOrEqual(newestChecked)
    expect(most).toBeLessThan(newestChecked + many)
  })

  test('checks this test: each word is in many products', () => {
    for (const word of ['even', 'odd', 'fifth', 'early', 'late', 'rare', 'seldom', 'usual']) {
      const uses = Array.from({ length: count }, (_, n) => wordsOf(n).includes(word))
      expect(uses.filter(Boolean).length).toBeGreaterThan(many)
    }
  })
})
