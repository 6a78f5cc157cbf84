import { readAgentSettings, type AgentSettings } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isPlan, plans } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { readPageSettings, type ChatPageSettings } from './chat-page-settings.ts'
import { isAppNameId } from './page-address.ts'
import { linkOf } from './page-link.ts'
import { pageOfKey, pageOfName, pageOfSlug, type OpenPageRow } from './page-store.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** A page that is switched on, as its visitors need it. */
export interface OpenPage {
  readonly agentId: string
  readonly workspaceId: string
  readonly appNameId: string
  /** The name of the page in its address. */
  readonly address: string
  readonly agent: AgentSettings
  readonly settings: ChatPageSettings
  /** Null unless the page is opened by a secret link. */
  readonly linkToken: string | null
  readonly generation: number
  /** The secret with which the host's server signs identities; null if there is none. */
  readonly identitySealed: string | null
}

type OpenContext = Pick<Context, 'db' | 'vault'>

/** The longest `app_name_id` is far shorter. */
const maxName = 300

/**
 * The page at an address.
 *
 * @param name the agent's `app_name_id`, or the slug of its page
 * @throws Fault page_unknown, page_not_on_plan
 */
export async function openPage(ctx: OpenContext, name: string): Promise<OpenPage> {
  if (name.length > maxName) throw new Fault(faults.page_unknown)
  const wanted = name.toLowerCase()
  const [row] = isAppNameId(wanted)
    ? await ctx.db.prepared(pageOfName).readShared({ name: wanted })
    : await ctx.db.prepared(pageOfSlug).readShared({ slug: wanted })
  return pageOf(ctx, row)
}

/**
 * The page of a publishable key.
 *
 * @throws Fault page_unknown, page_not_on_plan
 */
export async function openPageOfKey(ctx: OpenContext, key: string): Promise<OpenPage> {
  if (key.length > maxName) throw new Fault(faults.page_unknown)
  const [row] = await ctx.db.prepared(pageOfKey).readShared({ key })
  return pageOf(ctx, row)
}

function pageOf({ vault }: OpenContext, row: OpenPageRow | undefined): OpenPage {
  if (row === undefined) throw new Fault(faults.page_unknown)
  const settings = readPageSettings(row.settings_json)
  if (!settings.enabled) throw new Fault(faults.page_unknown)
  if (!isPlan(row.plan) || !plans[row.plan].chatApi) throw new Fault(faults.page_not_on_plan)
  return {
    agentId: row.agent_id,
    workspaceId: row.workspace_id,
    appNameId: row.app_name_id,
    address: row.slug ?? row.app_name_id,
    agent: readAgentSettings(row.agent_settings_json),
    settings,
    linkToken: settings.access === 'link' ? linkOf(vault, row.link_token) : null,
    generation: row.generation,
    identitySealed: row.identity_sealed,
  }
}
