import { providerFaults, requireKnownModels } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { agentFaults } from './agent-faults.ts'
import {
  applyPatch,
  readAgentSettings,
  type AgentPatch,
  type AgentSettings,
} from './agent-settings.ts'
import { agentFromRow, type Agent, type Author } from './agent.ts'
import { requireAgent, requireVersion } from './read-agents.ts'
import { deleteOldestVersions, insertVersion, updateAgentRow, type AgentRow } from './store.ts'

/** Options of every change of an agent. */
interface VersionOptions {
  /** The version that the caller read; guards against overwriting someone else's change. */
  readonly expectedVersion?: number | undefined
  /** Why, for the list of versions. */
  readonly note?: string | null | undefined
}

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
    requirePatch(patch)
    // An agent keeps a model whose provider was removed later, until its model is changed.
    const known = await requireKnownModels(tx, ctx.config, workspaceId, patch)
    const settings = applyPatch(readAgentSettings(row.settings_json), { ...patch, ...known })
    const note = options.note ?? null
    const change = { settings, authorId: userId, note, now: ctx.clock.now() }
    return await saveVersion(tx, ctx, row, change)
  })
}

/**
 * Creates a new version with the content of an old one, so that a rollback loses nothing.
 *
 * @throws Fault record_not_found, version_not_found, version_conflict, model_unknown when the old
 *   version has a model id that is no longer allowed
 */
export function rollbackAgent(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: Author,
  appId: string,
  version: number,
  options: VersionOptions = {},
): Promise<Agent> {
  return ctx.db.write(async (tx) => {
    const row = await requireAgent(tx, workspaceId, appId)
    requireExpectedVersion(row, options)
    const old = await requireVersion(tx, row, version)
    const settings = readAgentSettings(old.settings_json)
    const model = parseModelId(ctx.config, settings.model)
    if (model === null) throw new Fault(providerFaults.model_unknown, { model: settings.model })
    return saveVersion(tx, ctx, row, {
      settings: { ...settings, model: model.id },
      authorId: userId,
      note: options.note ?? `Rolled back to version ${version}`,
      now: ctx.clock.now(),
    })
  })
}

/** @throws Fault nothing_to_change */
export function requirePatch(patch: AgentPatch): void {
  if (Object.values(patch).every((value) => value === undefined))
    throw new Fault(agentFaults.nothing_to_change)
}

/** @throws Fault version_conflict */
export function requireExpectedVersion(
  row: AgentRow,
  { expectedVersion }: Pick<VersionOptions, 'expectedVersion'>,
): void {
  if (expectedVersion === undefined || expectedVersion === row.version) return
  const facts = { expected: expectedVersion, actual: row.version }
  throw new Fault(agentFaults.version_conflict, facts)
}

/** A step: stores the settings as the agent's next version, and deletes versions beyond `AGENT_VERSIONS_KEPT`. */
export async function saveVersion(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  row: AgentRow,
  change: {
    readonly settings: AgentSettings
    readonly authorId: string
    readonly note: string | null
    readonly now: number
  },
): Promise<Agent> {
  const settings_json = JSON.stringify(change.settings)
  const next = {
    name: change.settings.name,
    settings_json,
    version: row.version + 1,
    updated_at: change.now,
  }
  await updateAgentRow(tx, row.id, next)
  await insertVersion(tx, {
    agent_id: row.id,
    version: next.version,
    settings_json,
    author_id: change.authorId,
    note: change.note,
    created_at: change.now,
  })
  const versions = { agentId: row.id, newest: next.version }
  await deleteOldestVersions(tx, versions, config.agentVersionsKept)
  return agentFromRow({ ...row, ...next })
}

/**
 * Marks an agent as deleted: no query finds it any more. Its data stays until the purge of deleted
 * agents (`WORKSPACE_RETENTION_DAYS`).
 *
 * @param giveUp what other features give up of it in the same unit
 * @throws Fault record_not_found
 */
export function deleteAgent(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  appId: string,
  giveUp: (tx: Tx, agent: Agent) => Promise<void> = async () => {},
): Promise<Agent & { readonly deletedAt: number }> {
  return ctx.db.write(async (tx) => {
    const row = await requireAgent(tx, workspaceId, appId)
    const now = ctx.clock.now()
    const agent = agentFromRow({ ...row, updated_at: now })
    await giveUp(tx, agent)
    await updateAgentRow(tx, row.id, { deleted_at: now, updated_at: now })
    return { ...agent, deletedAt: now }
  })
}
