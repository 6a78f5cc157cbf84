import type { Context } from '#platform/context.ts'
import { readAgentSettings } from './agent-settings.ts'
import type { Agent, Author } from './agent.ts'
import { requireAgent, requireVersion } from './get-agent.ts'
import { requireExpectedVersion, saveVersion, type VersionOptions } from './save-version.ts'

/**
 * Creates a new version with the content of an old one, so that a rollback loses nothing.
 *
 * @throws Fault record_not_found, version_not_found, version_conflict
 */
export function rollbackAgent(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: Author,
  appId: string,
  version: number,
  options: VersionOptions = {},
): Promise<Agent> {
  return ctx.db.write(async (tx) => {
    const row = await requireAgent(tx, workspaceId, appId)
    requireExpectedVersion(row, options)
    const old = await requireVersion(tx, row, version)
    return saveVersion(tx, row, {
      settings: readAgentSettings(old.settings_json),
      authorId: userId,
      note: options.note ?? `Rolled back to version ${version}`,
      now: ctx.clock.now(),
    })
  })
}
