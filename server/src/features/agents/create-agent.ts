import { requireRecordRoom } from '#features/quotas/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireKnownModel } from '#features/providers/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { agentSettings, type AgentPatch, type AgentSettings } from './agent-settings.ts'
import { agentFromRow, type Agent, type Author } from './agent.ts'
import { appNameId } from './app-name-id.ts'
import { countAgents, insertAgent, insertVersion, takeAgentNumber } from './store.ts'

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
    const model = await requireKnownModel(tx, ctx.config, workspaceId, settings.model)
    return await addAgent(tx, ctx, { userId, workspaceId }, { ...settings, model }, null)
  })
}

/**
 * A step: creates an agent from complete settings with a known model in its only spelling.
 *
 * @param note why, for the list of versions
 * @throws Fault plan_limit_reached, limit_reached
 */
export async function addAgent(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  settings: AgentSettings,
  note: string | null,
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
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  await insertAgent(tx, row)
  await insertVersion(tx, {
    agent_id: row.id,
    version: 1,
    settings_json,
    author_id: userId,
    note,
    created_at: now,
  })
  return agentFromRow(row)
}
