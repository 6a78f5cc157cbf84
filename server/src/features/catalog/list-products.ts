import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { productFromRow, type Product } from './product.ts'
import { searchTerms } from './search-terms.ts'
import {
  countTermUses,
  findProduct,
  findProducts,
  listProductRows,
  type ProductFilter,
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
  shelf: Omit<ProductFilter, 'terms' | 'rareTerm'>,
  { q, ...page }: ProductSearch,
): Promise<Page<Product>> {
  const terms = searchTerms(q ?? '')
  const isSearch = q !== undefined && q.trim() !== ''
  // Without any words, nothing can match; the cursor is still checked.
  if (isSearch && terms.length === 0) return await pageById(page, async () => [], productFromRow)
  const reader = isSearch ? db.scan : db.read
  const rareTerm = await findRareTerm(reader, shelf.agentId, terms)
  const filter = { ...shelf, terms, rareTerm }
  return await pageById(page, (window) => listProductRows(reader, filter, window), productFromRow)
}

async function findRareTerm(
  reader: Reader,
  agentId: string,
  terms: readonly string[],
): Promise<string | null> {
  let rarest: { readonly term: string | null; readonly uses: number } = {
    term: null,
    uses: Number.POSITIVE_INFINITY,
  }
  for (const term of terms) {
    const uses = await countTermUses(reader, agentId, term)
    if (uses < rarest.uses) rarest = { term, uses }
  }
  return rarest.term
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
