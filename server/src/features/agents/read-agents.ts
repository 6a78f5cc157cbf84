import { z } from 'zod'
import { parseModelId } from '#kernel/model-id.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Place } from '#kernel/reach.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { agentFaults } from './agent-faults.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { readDraft, type DraftedAgent } from './draft.ts'
import { readAgentSettings, type AgentSettings } from './agent-settings.ts'
import {
  findAgent,
  findAgentPlace,
  findVersion,
  listAgentRows,
  listAgentRowsByName,
  listModelUse,
  listVersionRows,
  type AgentFilter,
  type AgentRow,
  type AgentVersionRow,
} from './store.ts'

/**
 * An agent in its current or an earlier version.
 *
 * @param appId its UUID or `app_name_id`
 * @throws Fault record_not_found, version_not_found
 */
export async function getAgent(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  version?: number,
): Promise<Agent> {
  const row = await requireAgent(ctx.db.read, workspaceId, appId)
  const agent = agentFromRow(row)
  if (version === undefined || version === row.version) return agent
  const old = await requireVersion(ctx.db.read, row, version)
  return { ...agent, settings: readAgentSettings(old.settings_json), version }
}

/**
 * An agent in its current version, with its draft.
 *
 * @param appId its UUID or `app_name_id`
 * @throws Fault record_not_found
 */
export async function getDraftedAgent(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
): Promise<DraftedAgent> {
  return await withDraft({ db }, agentFromRow(await requireAgent(db.read, workspaceId, appId)))
}

/** An agent that was found in the caller's workspace, with its draft. */
export async function withDraft({ db }: Pick<Context, 'db'>, agent: Agent): Promise<DraftedAgent> {
  return { ...agent, draft: await readDraft(db.read, agent) }
}

/** Where a live agent is; undefined for an unknown id. */
export function agentPlace(
  ctx: Pick<Context, 'db'>,
  appId: string,
): Promise<(Place & { readonly agentId: string }) | undefined> {
  return findAgentPlace(ctx.db.read, appId)
}

/**
 * The live agents of all workspaces whose model id is not valid, oldest first. Their turns fail: the
 * id was stored before ids were checked.
 */
export async function agentsWithInvalidModel({
  db,
  config,
}: Pick<Context, 'db' | 'config'>): Promise<{ appNameId: string; model: string }[]> {
  const agents = await listModelUse(db.read, db.engine)
  return agents.filter(({ model }) => parseModelId(config, model) === null)
}

export const agentOrders = ['newest', 'name'] as const

export interface AgentListing extends Omit<AgentFilter, 'workspaceId'> {
  readonly sort?: (typeof agentOrders)[number] | undefined
}

/** The live agents of a workspace, newest first unless `sort` says otherwise. */
export async function listAgents(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  page: PageRequest,
  { sort, ...rest }: AgentListing = {},
): Promise<Page<Agent>> {
  const filter = { ...rest, workspaceId }
  if (sort !== 'name')
    return await pageById(
      page,
      (window) => listAgentRows(ctx.db.read, filter, window),
      agentFromRow,
    )
  const after = readCursor(page.cursor, z.tuple([z.string(), z.guid()]))
  const rows = await listAgentRowsByName(ctx.db.read, filter, { limit: page.limit + 1, after })
  return pageOf(rows, page.limit, { key: (row) => [row.folded_name, row.id], item: agentFromRow })
}

export interface AgentVersion {
  readonly version: number
  /** True for the version that the agent answers with. */
  readonly current: boolean
  readonly settings: AgentSettings
  readonly note: string | null
  readonly author: { readonly id: string; readonly name: string; readonly email: string }
  readonly createdAt: number
}

/**
 * Every version of an agent, newest first.
 *
 * @throws Fault record_not_found
 */
export async function listAgentVersions(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AgentVersion>> {
  const before = readCursor(cursor, z.int().min(1))
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listVersionRows(ctx.db.read, agent.id, { limit: limit + 1, before })
  return pageOf(rows, limit, {
    key: (row) => row.version,
    item: (row) => ({
      version: row.version,
      current: row.version === agent.version,
      settings: readAgentSettings(row.settings_json),
      note: row.note,
      author: { id: row.author_id, name: row.author_name, email: row.author_email },
      createdAt: row.created_at,
    }),
  })
}

/** A step. @throws Fault record_not_found */
export async function requireAgent(
  reader: Reader,
  workspaceId: string,
  appId: string,
): Promise<AgentRow> {
  const row = await findAgent(reader, workspaceId, appId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return row
}

/** A step. @throws Fault version_not_found */
export async function requireVersion(
  reader: Reader,
  agent: AgentRow,
  version: number,
): Promise<AgentVersionRow> {
  const row = await findVersion(reader, agent.id, version)
  if (row !== undefined) return row
  throw new Fault(agentFaults.version_not_found, { version, latest: agent.version })
}
