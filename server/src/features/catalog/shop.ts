import { readAgentSettings } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Reader } from '#platform/db/database.ts'
import { catalogFaults } from './catalog-faults.ts'
import { readCommerceSettings, type CommerceSettings } from './commerce-settings.ts'
import { findSettings, findShop, type Shelf } from './store.ts'

/** An agent as shoppers meet it. */
export interface Shop extends Shelf {
  readonly appNameId: string
  readonly name: string
  readonly description: string
  readonly version: number
  readonly settings: CommerceSettings
}

/**
 * A step: anyone may look at any live agent's shop.
 *
 * @param appId its UUID or `app_name_id`
 * @throws Fault shop_not_found
 */
export async function requireShop(reader: Reader, appId: string): Promise<Shop> {
  // UUIDs and app_name_ids contain no other characters.
  const row = /^[a-z0-9-]{1,200}$/i.test(appId) ? await findShop(reader, appId) : undefined
  if (row === undefined) throw new Fault(catalogFaults.shop_not_found)
  const { name, description } = readAgentSettings(row.agent_settings_json)
  return {
    agentId: row.agent_id,
    appNameId: row.app_name_id,
    workspaceId: row.workspace_id,
    name,
    description,
    version: row.agent_version,
    settings: readCommerceSettings(row.commerce_settings_json),
  }
}

/**
 * A step: the commerce settings of an agent, even a deleted one, whose open checkouts still finish.
 */
export async function shopSettings(reader: Reader, shelf: Shelf): Promise<CommerceSettings> {
  return readCommerceSettings(await findSettings(reader, shelf))
}
