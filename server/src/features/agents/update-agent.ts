import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requireKnownModel } from '#features/providers/index.ts'
import { agentFaults } from './agent-faults.ts'
import { applyPatch, readAgentSettings, type AgentPatch } from './agent-settings.ts'
import type { Agent, Author } from './agent.ts'
import { requireAgent } from './get-agent.ts'
import { requireExpectedVersion, saveVersion, type VersionOptions } from './save-version.ts'

/**
 * Changes the settings that the patch names and creates a new version, even if nothing differs.
 *
 * @throws Fault record_not_found, version_conflict, nothing_to_change, model_unknown
 */
export function updateAgent(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  appId: string,
  patch: AgentPatch,
  options: VersionOptions = {},
): Promise<Agent> {
  return ctx.db.write(async (tx) => {
    const row = await requireAgent(tx, workspaceId, appId)
    requireExpectedVersion(row, options)
    if (Object.values(patch).every((value) => value === undefined)) {
      throw new Fault(agentFaults.nothing_to_change)
    }
    // An agent keeps a model whose provider was removed later, until its model is changed.
    if (patch.model !== undefined) await requireKnownModel(tx, ctx.config, workspaceId, patch.model)
    const settings = applyPatch(readAgentSettings(row.settings_json), patch)
    const note = options.note ?? null
    return saveVersion(tx, row, { settings, authorId: userId, note, now: ctx.clock.now() })
  })
}
