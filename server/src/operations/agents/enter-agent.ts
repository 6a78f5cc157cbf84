import { agentPlace } from '#features/agents/index.ts'
import { actingRoleIn } from '#features/workspaces/index.ts'
import { atLeast, type Actor, type Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { reachesRecord } from '#kernel/reach.ts'
import type { Context } from '#platform/context.ts'

/**
 * The workspace of an agent in which the actor has a role.
 *
 * @throws Fault record_not_found (no agent, no role, or beyond the credential's reach),
 *   permission_denied (a lesser role),
 *   second_factor_required
 */
export async function enterAgent(
  ctx: Context,
  actor: Actor,
  appId: string,
  needs: Role,
): Promise<string> {
  const place = await agentPlace(ctx, appId)
  const isWithin =
    place !== undefined && (actor.reach === undefined || reachesRecord(actor.reach, place))
  if (!isWithin) throw new Fault(commonFaults.record_not_found)
  const { workspaceId } = place
  const role = await actingRoleIn(ctx.db.read, actor.userId, workspaceId)
  if (role === null) throw new Fault(commonFaults.record_not_found)
  if (!atLeast(role, needs)) throw new Fault(commonFaults.permission_denied, { role, needs })
  return workspaceId
}
