import { sql, type Kysely } from 'kysely'
import { Fault } from '#kernel/fault.ts'
import { isUuid } from '#kernel/ids.ts'
import type { Database, Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { catalogFaults } from './catalog-faults.ts'
import { readCommerceSettings, type CommerceSettings } from './commerce-settings.ts'
import { productsById } from './list-products.ts'
import { productFromRow, type Product } from './product.ts'
import { shopSettings } from './shop.ts'
import type { Shelf } from './store.ts'

/** What the price of a cart depends on. */
export interface ShelfState {
  readonly settings: CommerceSettings
  /** By id, inactive ones too; without those that do not exist. */
  readonly products: ReadonlyMap<string, Product>
}

/** A step. */
export async function shelfState(
  reader: Reader,
  shelf: Shelf,
  productIds: readonly string[],
): Promise<ShelfState> {
  const products = await productsById(reader, shelf, productIds)
  return { products, settings: await shopSettings(reader, shelf) }
}

/**
 * The same outside a unit, by statements that share a round trip with those of other requests. They do
 * not see the same moment: what follows from them must be assessed again before anything is charged.
 *
 * @throws Fault shop_not_found when the agent or its workspace is deleted
 */
export async function peekShelf(
  db: Database,
  { workspaceId: workspace_id, agentId: agent_id }: Shelf,
  productIds: readonly string[],
): Promise<ShelfState> {
  const given = { workspace_id, agent_id }
  const ids = JSON.stringify(productIds.filter(isUuid))
  const [[shop], rows] = await Promise.all([
    db.prepared(settingsOfShop).read(given),
    db.prepared(productsOfShop[db.engine]).read({ ...given, ids }),
  ])
  if (shop === undefined) throw new Fault(catalogFaults.shop_not_found)
  return {
    settings: readCommerceSettings(shop.settings_json),
    products: new Map(rows.map((row) => [row.id, productFromRow(row)])),
  }
}

interface ShopRow {
  readonly workspace_id: string
  readonly agent_id: string
}

const settingsOfShop = (db: Kysely<Schema>, given: ShopRow) =>
  db
    .selectFrom('agents')
    .innerJoin('workspaces', 'workspaces.id', 'agents.workspace_id')
    .leftJoin('commerce_settings', 'commerce_settings.agent_id', 'agents.id')
    .where('agents.id', '=', given.agent_id)
    .where('agents.workspace_id', '=', given.workspace_id)
    .where('agents.deleted_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null)
    .select('commerce_settings.settings_json')

type NamedProducts = ShopRow & { readonly ids: string }

const productsOf = (db: Kysely<Schema>, given: NamedProducts) =>
  db
    .selectFrom('products')
    .selectAll()
    .where('workspace_id', '=', given.workspace_id)
    .where('agent_id', '=', given.agent_id)
    .where('deleted_at', 'is', null)

const productsOfShop = {
  sqlite: (db: Kysely<Schema>, given: NamedProducts) =>
    productsOf(db, given).where(sql<boolean>`id in (select value from json_each(${given.ids}))`),
  postgres: (db: Kysely<Schema>, given: NamedProducts) =>
    productsOf(db, given).where(
      sql<boolean>`id = any (array(select json_array_elements_text(${given.ids}::json)))`,
    ),
} as const
