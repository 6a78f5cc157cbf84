import { requireRecordRoom } from '#features/quotas/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireKnownModels } from '#features/providers/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { agentSettings, type AgentPatch, type AgentSettings } from './agent-settings.ts'
import { agentFromRow, type Agent, type Author } from './agent.ts'
import { appNameId } from './app-name-id.ts'
import { countAgents, insertAgent, insertVersion, showAgentRow, takeAgentNumber } from './store.ts'

/**
 * Creates an agent with its first version.
 *
 * @throws Fault plan_limit_reached, limit_reached, model_unknown
 */
export function createAgent(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  input: AgentPatch & { readonly name: string },
): Promise<Agent> {
  const settings = agentSettings.parse({ model: ctx.config.defaultModel, ...input })
  return ctx.db.write(async (tx) => {
    const known = await requireKnownModels(tx, ctx.config, workspaceId, settings)
    return await addAgent(tx, ctx, { userId, workspaceId }, { ...settings, ...known }, null)
  })
}

/** A step: `addHiddenAgent` and `showAgent` in one unit. */
export async function addAgent(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  author: Author,
  settings: AgentSettings,
  note: string | null,
): Promise<Agent> {
  const agent = await addHiddenAgent(tx, ctx, { ...author, folder: '' }, settings)
  await showAgent(tx, ctx, author, agent, note)
  return agent
}

/**
 * A step: creates an agent from complete settings with a known model in its only spelling. It is a
 * deleted agent in every respect until `showAgent`: if its process dies before, it is purged like one.
 *
 * @throws Fault plan_limit_reached, limit_reached
 */
export async function addHiddenAgent(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { workspaceId, folder }: Pick<Agent, 'workspaceId' | 'folder'>,
  settings: AgentSettings,
): Promise<Agent> {
  const now = ctx.clock.now()
  const settings_json = JSON.stringify(settings)
  await requireRoom(tx, workspaceId, 'agents', () => countAgents(tx, workspaceId))
  await requireRecordRoom(tx, ctx, 'agents_per_workspace', workspaceId)
  const number = await takeAgentNumber(tx)
  const row = {
    id: newId(now),
    workspace_id: workspaceId,
    number,
    app_name_id: appNameId(settings.name, number),
    name: settings.name,
    settings_json,
    version: 1,
    folder,
    created_at: now,
    updated_at: now,
    deleted_at: now,
  }
  await insertAgent(tx, row)
  return agentFromRow(row)
}

/**
 * A step: shows an agent with its first version.
 *
 * @param note why, for the list of versions
 * @throws Fault plan_limit_reached, and record_not_found if the agent has been purged meanwhile
 */
export async function showAgent(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  agent: Pick<Agent, 'id'>,
  note: string | null,
): Promise<void> {
  await requireRoom(tx, workspaceId, 'agents', () => countAgents(tx, workspaceId))
  await requireRecordRoom(tx, ctx, 'agents_per_workspace', workspaceId, 0)
  const row = await showAgentRow(tx, agent.id)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  await insertVersion(tx, {
    agent_id: agent.id,
    version: row.version,
    settings_json: row.settings_json,
    author_id: userId,
    note,
    created_at: row.created_at,
  })
}
