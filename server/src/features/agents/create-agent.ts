import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { requireKnownModel } from '#features/providers/index.ts'
import { requireRoom } from '#features/workspaces/index.ts'
import { agentSettings, type AgentPatch } from './agent-settings.ts'
import { agentFromRow, type Agent, type Author } from './agent.ts'
import { appNameId } from './app-name-id.ts'
import { countAgents, insertAgent, insertVersion, takeAgentNumber } from './store.ts'

/**
 * A new agent, with its first version.
 *
 * @throws Fault plan_limit_reached, model_unknown
 */
export function createAgent(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  input: AgentPatch & { readonly name: string },
): Promise<Agent> {
  const settings = agentSettings.parse({ model: ctx.config.defaultModel, ...input })
  const { name, model } = settings
  const settings_json = JSON.stringify(settings)
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    await requireRoom(tx, workspaceId, 'agents', () => countAgents(tx, workspaceId))
    await requireKnownModel(tx, workspaceId, model)
    const number = await takeAgentNumber(tx)
    const row = {
      id: newId(now),
      workspace_id: workspaceId,
      number,
      app_name_id: appNameId(name, number),
      name,
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
      note: null,
      created_at: now,
    })
    return agentFromRow(row)
  })
}
