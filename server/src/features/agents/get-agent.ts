import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { agentFaults } from './agent-faults.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { readAgentSettings } from './agent-settings.ts'
import {
  findAgent,
  findAgentWorkspace,
  findVersion,
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

/** The workspace of a live agent; undefined for an unknown id. */
export function agentWorkspace(
  ctx: Pick<Context, 'db'>,
  appId: string,
): Promise<string | undefined> {
  return findAgentWorkspace(ctx.db.read, appId)
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
