import type { Actor } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { identityFaults } from './identity-faults.ts'
import { findFirstOwner, findFirstSeat } from './store.ts'
import { findUserByEmail } from './user.ts'

/**
 * The actor on the command line: the person with this e-mail in their first workspace, or the owner of
 * the instance's first workspace. It needs no password, because its user can read the database.
 *
 * @throws Fault user_not_found, not_set_up
 */
export async function cliActor(ctx: Pick<Context, 'db'>, email?: string): Promise<Actor> {
  const seat = email === undefined ? await findFirstOwner(ctx.db.read) : await seatOf(ctx, email)
  if (seat === undefined) throw new Fault(identityFaults.not_set_up)
  return { userId: seat.user_id, workspaceId: seat.workspace_id, scopes: ['*'], surface: 'cli' }
}

async function seatOf(ctx: Pick<Context, 'db'>, email: string) {
  const user = await findUserByEmail(ctx, email)
  const seat = user === null ? undefined : await findFirstSeat(ctx.db.read, user.id)
  if (seat === undefined) throw new Fault(identityFaults.user_not_found, { email })
  return seat
}

/**
 * A signed-in person as an actor in their first workspace: the oldest they own, else the oldest they
 * are a member of.
 *
 * @throws Fault no_workspace
 */
export async function personalActor(ctx: Pick<Context, 'db'>, userId: string): Promise<Actor> {
  const seat = await findFirstSeat(ctx.db.read, userId)
  if (seat === undefined) throw new Fault(identityFaults.no_workspace)
  return { userId, workspaceId: seat.workspace_id, scopes: ['*'], surface: 'dashboard' }
}
