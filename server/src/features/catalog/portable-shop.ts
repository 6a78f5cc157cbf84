import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { readCommerceSettings, type CommerceSettings } from './commerce-settings.ts'
import type { ProductPatch } from './product-fields.ts'
import { productFromRow } from './product.ts'
import { findSettings, listProductRows, saveSettings } from './store.ts'
import { putProduct } from './upsert-product.ts'

/** What an agent sells and how, as another agent can be given it. */
export interface PortableShop {
  /** Null for an agent that never changed them. */
  readonly settings: CommerceSettings | null
  readonly products: readonly PortableProduct[]
}

export type PortableProduct = Required<ProductPatch>

interface Shelf {
  readonly workspaceId: string
  readonly agentId: string
}

/** The products that one unit stores without holding up everybody else for long. */
export const maxPortableProducts = 5000

/**
 * Products in the order in which they were made, at most one more than can be taken along. The agent
 * must have been found in the workspace first.
 */
export async function readPortableShop(reader: Reader, shelf: Shelf): Promise<PortableShop> {
  const json = await findSettings(reader, shelf.workspaceId, shelf.agentId)
  const filter = { ...shelf, onSale: false, terms: [], rareTerm: null }
  const page = { limit: maxPortableProducts + 1, before: undefined }
  const rows = (await listProductRows(reader, filter, page)).toReversed()
  return {
    settings: json === undefined ? null : readCommerceSettings(json),
    products: rows.map((row) => {
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
    }),
  }
}

/** A step: gives all of it to an agent that sells nothing yet. @throws Fault sku_taken */
export async function addPortableShop(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  shelf: Shelf,
  { settings, products }: PortableShop,
): Promise<void> {
  const now = clock.now()
  if (settings !== null)
    await saveSettings(tx, {
      agent_id: shelf.agentId,
      workspace_id: shelf.workspaceId,
      settings_json: JSON.stringify(settings),
      now,
    })
  for (const product of products) await putProduct(tx, now, shelf, product)
}
