import type { Selectable } from 'kysely'
import { isUuid } from '#kernel/ids.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { Database, Reader, Tx } from '#platform/db/database.ts'
import { isAmong } from './among.ts'
import { beginsWith } from './word-store.ts'

export type ProductRow = Selectable<Schema['products']>

/** The agent that products and settings belong to. */
export interface Shelf {
  readonly workspaceId: string
  readonly agentId: string
}

/** A live agent of any workspace by UUID or `app_name_id`, with its commerce settings. */
export function findShop(reader: Reader, appId: string) {
  const column = isUuid(appId) ? 'agents.id' : 'agents.app_name_id'
  return reader
    .selectFrom('agents')
    .innerJoin('workspaces', 'workspaces.id', 'agents.workspace_id')
    .leftJoin('commerce_settings', 'commerce_settings.agent_id', 'agents.id')
    .where('workspaces.deleted_at', 'is', null)
    .where(column, '=', appId.toLowerCase())
    .where('agents.deleted_at', 'is', null)
    .select([
      'agents.id as agent_id',
      'agents.app_name_id',
      'agents.workspace_id',
      'agents.settings_json as agent_settings_json',
      'agents.version as agent_version',
      'commerce_settings.settings_json as commerce_settings_json',
    ])
    .executeTakeFirst()
}

export async function findSettings(reader: Reader, { workspaceId, agentId }: Shelf) {
  const row = await reader
    .selectFrom('commerce_settings')
    .select('settings_json')
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  return row?.settings_json
}

export async function saveSettings(
  tx: Tx,
  now: number,
  { workspaceId: workspace_id, agentId: agent_id }: Shelf,
  settings_json: string,
): Promise<void> {
  await tx
    .insertInto('commerce_settings')
    .values({ agent_id, workspace_id, settings_json, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.column('agent_id').doUpdateSet({ settings_json, updated_at: now }),
    )
    .execute()
}

function liveProducts(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('products')
    .where('products.workspace_id', '=', workspaceId)
    .where('products.deleted_at', 'is', null)
}

export function findProduct(reader: Reader, workspaceId: string, id: string) {
  return liveProducts(reader, workspaceId).selectAll().where('id', '=', id).executeTakeFirst()
}

/** Live products of one agent among these ids, inactive ones too. */
export function findProducts(
  reader: Reader,
  { workspaceId, agentId }: Shelf,
  ids: readonly string[],
) {
  return liveProducts(reader, workspaceId)
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('id', 'in', ids)
    .execute()
}

export interface ProductFilter extends Shelf {
  readonly onSale: boolean
  /** A product matches when each of these begins one of its words. */
  readonly terms: readonly string[]
  /** The products with one of these terms, when few have it: the search starts from them. */
  readonly among: { readonly engine: Database['engine']; readonly ids: readonly string[] } | null
}

/** Newest first: ids are in order of time. */
export function listProductRows(
  reader: Reader,
  filter: ProductFilter,
  page: { limit: number; before: string | undefined; from?: string },
) {
  let query = liveProducts(reader, filter.workspaceId)
    .selectAll()
    .where('agent_id', '=', filter.agentId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (filter.onSale) query = query.where('active', '=', 1)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  if (page.from !== undefined) query = query.where('id', '>=', page.from)
  // As a list, because PostgreSQL has no good plan for a subquery before it has counted the words.
  const { among } = filter
  if (among !== null) query = query.where(isAmong(among.engine, 'id', among.ids))
  for (const term of filter.terms)
    query = query.where((e) =>
      e.exists(
        e
          .selectFrom('product_terms')
          .select('product_terms.term')
          .whereRef('product_terms.product_id', '=', 'products.id')
          .where((inner) => beginsWith(inner, term)),
      ),
    )
  return query.execute()
}

/** The id of the product after the `count` newest ones before this id; undefined without so many. */
export async function findNewest(
  reader: Reader,
  { workspaceId, agentId }: Shelf,
  count: number,
  before: string | undefined,
): Promise<string | undefined> {
  let query = liveProducts(reader, workspaceId).select('id').where('agent_id', '=', agentId)
  if (before !== undefined) query = query.where('id', '<', before)
  const row = await query.orderBy('id', 'desc').offset(count).limit(1).executeTakeFirst()
  return row?.id
}

/** A step: false for an agent without a product on sale. */
export async function sellsProducts(
  reader: Reader,
  { workspaceId, agentId }: Shelf,
): Promise<boolean> {
  const row = await liveProducts(reader, workspaceId)
    .select('id')
    .where('agent_id', '=', agentId)
    .where('active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The row stays: sessions and orders name it. */
export async function markProductDeleted(tx: Tx, id: string, now: number): Promise<void> {
  const change = { deleted_at: now, updated_at: now }
  await tx.updateTable('products').set(change).where('id', '=', id).execute()
  await tx.deleteFrom('product_terms').where('product_id', '=', id).execute()
}

/**
 * Reduces the stock of a product on sale, if its stock is counted.
 *
 * @returns false when there is not as much, or the product is no longer sold
 */
export async function takeStock(tx: Tx, agentId: string, id: string, quantity: number) {
  const row = await tx
    .updateTable('products')
    .set((e) => ({ stock: e('stock', '-', quantity) }))
    .where('id', '=', id)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .where('active', '=', 1)
    .where((e) => e.or([e('stock', 'is', null), e('stock', '>=', quantity)]))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns a quantity to the stock, even of a deleted product. */
export async function giveStockBack(tx: Tx, agentId: string, id: string, quantity: number) {
  await tx
    .updateTable('products')
    .set((e) => ({ stock: e('stock', '+', quantity) }))
    .where('id', '=', id)
    .where('agent_id', '=', agentId)
    .where('stock', 'is not', null)
    .execute()
}
