import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { readCommerceSettings, type CommerceSettings } from './commerce-settings.ts'
import { storeHidden, type HiddenParts } from './hidden-products.ts'
import type { ProductPatch } from './product-fields.ts'
import { openPlan } from './product-plan.ts'
import { productFromRow } from './product.ts'
import {
  findSettings,
  listProductRows,
  saveSettings,
  type ProductRow,
  type Shelf,
} from './store.ts'

type PortableProduct = Required<ProductPatch>

/** An agent's products and commerce settings, in a form that can be added to another agent. */
export interface PortableShop {
  /** Null for an agent that never changed them. */
  readonly settings: CommerceSettings | null
  readonly products: readonly PortableProduct[]
}

/** An import holds them in memory. */
export const maxPortableProducts = 5000

/** Products that are read at once. */
const pageRows = 200
const everyProduct = { onSale: false, terms: [], among: null } as const

/**
 * Products in order of creation, at most one more than the limit. The caller must have found the
 * agent in the workspace.
 */
export async function readPortableShop(reader: Reader, shelf: Shelf): Promise<PortableShop> {
  const json = await findSettings(reader, shelf)
  const slice = new CpuSlice()
  const products: PortableProduct[] = []
  let page: readonly ProductRow[] = []
  do {
    const before = page.at(-1)?.id
    page = await listProductRows(reader, { ...shelf, ...everyProduct }, { limit: pageRows, before })
    products.push(...page.map(portable))
    if (slice.isOver) await slice.next()
  } while (page.length === pageRows && products.length <= maxPortableProducts)
  return {
    settings: json === undefined ? null : readCommerceSettings(json),
    products: products.toReversed(),
  }
}

function portable(row: ProductRow): PortableProduct {
  const product = productFromRow(row)
  return {
    name: product.name,
    description: product.description,
    sku: product.sku,
    price_amount: product.priceMinor,
    currency: product.currency,
    images: [...product.images],
    categories: [...product.categories],
    stock: product.stock,
    fulfillment_type: product.fulfillmentType,
    tax_code: product.taxCode,
    active: product.active,
  }
}

/**
 * Stores the products of an agent that is still hidden and sells nothing yet, in short units.
 *
 * @param stored gets what a failure has to remove with `removeHidden`
 * @throws Fault sku_taken before anything is stored
 */
export async function storeHiddenShop(
  ctx: Pick<Context, 'clock' | 'db'>,
  shelf: Shelf,
  { products }: PortableShop,
  stored: HiddenParts,
): Promise<void> {
  const plan = await openPlan(ctx.db.read, ctx.db.engine, ctx.clock.now(), shelf, products)
  const slice = new CpuSlice()
  for (const product of products) {
    if (slice.isOver) await slice.next()
    plan.put(product)
  }
  await storeHidden(ctx, plan.created, stored)
}

/** A step of the unit that shows the agent: stores the settings of its shop. */
export async function addShopSettings(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  shelf: Shelf,
  { settings }: PortableShop,
): Promise<void> {
  if (settings !== null) await saveSettings(tx, clock.now(), shelf, JSON.stringify(settings))
}
