import { getAgent } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import type { CallerAgent } from './authenticate-caller.ts'
import { findAbilities } from './caller-store.ts'

/**
 * An agent as a turn needs it, for a member of its workspace, who uses no chat key.
 *
 * @param appId its UUID or `app_name_id`
 * @throws Fault record_not_found
 */
export async function findWorkspaceAgent(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
): Promise<CallerAgent> {
  const { id, appNameId, version, createdAt, settings } = await getAgent(ctx, workspaceId, appId)
  const agent = { id, appNameId, workspaceId, version, createdAt, settings }
  const has = await findAbilities(ctx.db.read, id)
  return {
    ...agent,
    hasKnowledge: has.has_knowledge === 1,
    hasTools: has.has_tools === 1,
    heldMessages: has.held_messages ?? 0,
    heldBytes: has.held_bytes ?? 0,
  }
}
