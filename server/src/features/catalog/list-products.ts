import { requireAgent } from '#features/agents/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { productFromRow, type Product } from './product.ts'
import { isFoundBy, searchTerms } from './search-terms.ts'
import {
  findTermUses,
  findProduct,
  findProducts,
  listProductRows,
  type ProductFilter,
  type ProductRow,
  type Shelf,
} from './store.ts'

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
  return await pageById(page, (window) => findMatching(reader, filter, window), productFromRow)
}

/** Products that one read returns at most when many that the index finds do not have the words. */
const mostAtOnce = 200

/**
 * While an import rewords products, the index has words that they do not have: each is checked. Reads
 * become longer, so that a short page needs few of them.
 */
async function findMatching(
  reader: Reader,
  filter: ProductFilter,
  { limit, before }: Parameters<typeof listProductRows>[2],
): Promise<ProductRow[]> {
  const slice = new CpuSlice()
  const found: ProductRow[] = []
  let rows: readonly ProductRow[] = []
  let size = limit
  for (;;) {
    rows = await listProductRows(reader, filter, { limit: size, before: rows.at(-1)?.id ?? before })
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
