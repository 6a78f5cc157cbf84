import type { Actor } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findUserByEmail } from './find-user.ts'
import { identityFaults } from './identity-faults.ts'
import { findFirstOwner, findFirstSeat } from './store.ts'

/**
 * Who acts on the command line: the person of that e-mail in their first workspace, or the owner
 * of the instance's first one. Whoever can run it can read the database: no password is asked.
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
