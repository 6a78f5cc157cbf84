import { requireAgent } from '#features/agents/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Reader } from '#platform/db/database.ts'
import { productFromRow, type Product } from './product.ts'
import { isFoundBy, searchTerms } from './search-terms.ts'
import {
  findNewest,
  findProduct,
  findProducts,
  listProductRows,
  type ProductFilter,
  type ProductRow,
  type Shelf,
} from './store.ts'
import { countTermUses, findTermUses, findWithWords } from './word-store.ts'

export interface ProductSearch extends PageRequest {
  readonly q?: string | undefined
}

/**
 * The products of an agent, inactive ones among them, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listProducts(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  search: ProductSearch,
): Promise<Page<Product>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  return pageOfProducts(ctx, { workspaceId, agentId: agent.id, onSale: false }, search)
}

/** The products on sale in a shop, newest first. */
export function listProductsOnSale(
  ctx: Pick<Context, 'db'>,
  { workspaceId, agentId }: Shelf,
  search: ProductSearch,
): Promise<Page<Product>> {
  return pageOfProducts(ctx, { workspaceId, agentId, onSale: true }, search)
}

async function pageOfProducts(
  { db }: Pick<Context, 'db'>,
  shelf: Omit<ProductFilter, 'terms' | 'among'>,
  { q, ...page }: ProductSearch,
): Promise<Page<Product>> {
  const terms = searchTerms(q ?? '')
  const isSearch = q !== undefined && q.trim() !== ''
  // Without any words, nothing can match; the cursor is still checked.
  if (isSearch && terms.length === 0) return await pageById(page, async () => [], productFromRow)
  const reader = isSearch ? db.scan : db.read
  const ids = await findFewest(reader, shelf.agentId, terms)
  const among = ids === null ? null : { engine: db.engine, ids }
  const filter = { ...shelf, terms, among }
  const isCommon = isSearch && ids === null
  const find = isCommon ? findCommon : findMatching
  return await pageById(page, (window) => find({ reader, db }, filter, window), productFromRow)
}

interface Source {
  readonly reader: Reader
  readonly db: Pick<Database, 'engine'>
}

/** Products that a search for common words checks before it looks the words up. */
const newest = 1_000
/** Words of a search that are looked up, the two rarest first. */
const mostCompared = 8

/**
 * Each of the words is in many products, so the newest products usually fill a page. If they do
 * not, few products have all of the words, and checking each product would read the whole
 * catalogue. The index of words finds those with the two rarest, and with one more word each time
 * that they do not fill the page.
 */
async function findCommon(
  source: Source,
  filter: ProductFilter,
  { limit, before }: Window,
): Promise<ProductRow[]> {
  const { reader, db } = source
  const from = await findNewest(reader, filter, newest, before)
  if (from === undefined) return await findMatching(source, filter, { limit, before })
  const found = await findMatching(source, filter, { limit, before, from })
  if (found.length >= limit) return found
  const words = await rarestFirst(reader, filter.agentId, filter.terms)
  for (let last = from, compared = 2; found.length < limit; compared += 1) {
    const page = { limit: mostAtOnce, before: last }
    const ids = await findWithWords(reader, filter.agentId, words.slice(0, compared), page)
    const among = { engine: db.engine, ids }
    const rest = { limit: limit - found.length, before: last }
    found.push(...(await findMatching(source, { ...filter, among }, rest)))
    const end = ids.at(-1)
    if (ids.length < mostAtOnce || end === undefined) break
    last = end
  }
  return found
}

/** The terms, those first that the fewest words of products begin with. */
async function rarestFirst(
  reader: Reader,
  agentId: string,
  terms: readonly string[],
): Promise<readonly string[]> {
  const counted: { readonly term: string; readonly count: number }[] = []
  for (const term of terms.slice(0, mostCompared))
    counted.push({ term, count: await countTermUses(reader, agentId, term) })
  return counted.toSorted((one, other) => one.count - other.count).map(({ term }) => term)
}

type Window = Parameters<typeof listProductRows>[2]

/** The most products of one read, if many that the index finds do not have the words. */
const mostAtOnce = 200

/**
 * While an import rewords products, the index has words that they do not have, so each product is
 * checked. Each read is longer than the one before, so that a short page needs few reads.
 */
async function findMatching(
  { reader }: Pick<Source, 'reader'>,
  filter: ProductFilter,
  { limit, before, ...window }: Window,
): Promise<ProductRow[]> {
  const slice = new CpuSlice()
  const found: ProductRow[] = []
  let rows: readonly ProductRow[] = []
  let size = limit
  for (;;) {
    const last = rows.at(-1)?.id ?? before
    rows = await listProductRows(reader, filter, { ...window, limit: size, before: last })
    for (const row of rows) {
      if (slice.isOver) await slice.next()
      if (isFoundBy(row, filter.terms)) found.push(row)
    }
    if (rows.length < size || found.length >= limit) return found.slice(0, limit)
    size = Math.max(limit, Math.min(2 * size, mostAtOnce))
  }
}

/** The products with the term that the fewest have; null when many have each. */
async function findFewest(
  reader: Reader,
  agentId: string,
  terms: readonly string[],
): Promise<readonly string[] | null> {
  let fewest: readonly string[] | null = null
  for (const term of terms) {
    const uses = await findTermUses(reader, agentId, term)
    if (uses !== null && uses.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = uses
    if (fewest?.length === 0) return fewest
  }
  return fewest
}

/** @throws Fault record_not_found */
export async function getProduct(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  id: string,
): Promise<Product> {
  const row = await findProduct(ctx.db.read, workspaceId, id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return productFromRow(row)
}

/** A step: live products of one shop by id, including inactive ones; unknown ids are left out. */
export async function productsById(
  reader: Reader,
  shelf: Shelf,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Product>> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return new Map()
  const rows = await findProducts(reader, shelf, known)
  return new Map(rows.map((row) => [row.id, productFromRow(row)]))
}
