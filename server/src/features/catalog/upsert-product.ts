import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { catalogFaults } from './catalog-faults.ts'
import type { ProductPatch } from './product-fields.ts'
import { productFromRow, type Product } from './product.ts'
import { searchTerms } from './search-terms.ts'
import { shopSettings } from './shop.ts'
import {
  findProduct,
  findProductBySku,
  insertProduct,
  markProductDeleted,
  updateProduct,
  type ProductRow,
  type Shelf,
} from './store.ts'

export interface UpsertProduct extends ProductPatch {
  /**
   * The product to change. Without it, the product with this sku is changed, or a new one is
   * created.
   */
  readonly productId?: string | undefined
}

/**
 * Creates a product, or changes the given fields of one.
 *
 * @throws Fault record_not_found, product_field_missing, sku_taken
 */
export function upsertProduct(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  workspaceId: string,
  appId: string,
  input: UpsertProduct,
): Promise<Product> {
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const shelf = { workspaceId, agentId: agent.id }
    const { product, isNew } = await putProduct(tx, ctx.clock.now(), shelf, input)
    if (isNew) await requireProductRoom(tx, ctx, agent.id)
    return product
  })
}

/**
 * A step that follows new products: an import counts once, not for each of its lines.
 *
 * @throws Fault limit_reached
 */
export async function requireProductRoom(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  agentId: string,
): Promise<void> {
  await requireRecordRoom(tx, ctx, 'products_per_agent', agentId, 0)
}

/** A step of `upsertProduct` and of an import. */
export async function putProduct(
  tx: Tx,
  now: number,
  shelf: Shelf,
  { productId, ...patch }: UpsertProduct,
): Promise<{ readonly product: Product; readonly isNew: boolean }> {
  const found = await findExisting(tx, shelf, productId, patch.sku)
  const row =
    found === undefined
      ? await newRow(tx, now, shelf, patch)
      : { ...patched(found, patch), updated_at: now }
  await requireFreeSku(tx, shelf, row)
  const terms = searchTerms([row.name, row.sku, row.categories_json, row.description].join(' '))
  await (found === undefined ? insertProduct(tx, row, terms) : updateProduct(tx, row, terms))
  return { product: productFromRow(row), isNew: found === undefined }
}

async function findExisting(
  tx: Tx,
  shelf: Shelf,
  productId: string | undefined,
  sku: string | null | undefined,
): Promise<ProductRow | undefined> {
  if (productId !== undefined) {
    const row = await findProduct(tx, shelf.workspaceId, productId)
    if (row?.agent_id === shelf.agentId) return row
    throw new Fault(commonFaults.record_not_found)
  }
  if (sku === undefined || sku === null) return undefined
  return await findProductBySku(tx, shelf, sku)
}

async function newRow(tx: Tx, now: number, shelf: Shelf, patch: ProductPatch): Promise<ProductRow> {
  const { name, price_amount } = patch
  if (name === undefined) throw missing('name')
  if (price_amount === undefined) throw missing('price_amount')
  const { currency } = await shopSettings(tx, shelf)
  const blank: ProductRow = {
    id: newId(now),
    workspace_id: shelf.workspaceId,
    agent_id: shelf.agentId,
    name,
    description: '',
    sku: null,
    price_amount,
    currency,
    images_json: '[]',
    categories_json: '[]',
    stock: null,
    fulfillment_type: 'shipping',
    tax_code: null,
    active: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  return patched(blank, patch)
}

function patched(row: ProductRow, patch: ProductPatch): ProductRow {
  const { images, categories, active, ...same } = patch
  const given = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined))
  return {
    ...row,
    ...given,
    ...(images === undefined ? {} : { images_json: JSON.stringify(images) }),
    ...(categories === undefined ? {} : { categories_json: JSON.stringify(categories) }),
    ...(active === undefined ? {} : { active: Number(active) }),
  }
}

async function requireFreeSku(tx: Tx, shelf: Shelf, { id, sku }: ProductRow): Promise<void> {
  if (sku === null) return
  const holder = await findProductBySku(tx, shelf, sku)
  if (holder !== undefined && holder.id !== id) throw new Fault(catalogFaults.sku_taken, { sku })
}

function missing(field: string): Fault {
  return new Fault(catalogFaults.product_field_missing, { field })
}

/**
 * Deletes a product. Open checkouts that contain it can no longer be paid.
 *
 * @throws Fault record_not_found
 */
export function deleteProduct(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  id: string,
): Promise<Product> {
  return ctx.db.write(async (tx) => {
    const row = await findProduct(tx, workspaceId, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await markProductDeleted(tx, id, ctx.clock.now())
    return productFromRow(row)
  })
}
