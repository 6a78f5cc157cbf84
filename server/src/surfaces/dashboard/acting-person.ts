import { identityFaults } from '#features/identity/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requireSession, sessionActor } from '#surfaces/http/signed-in.ts'

/**
 * The signed-in person as an actor in the dashboard.
 *
 * @throws Fault not_signed_in, no_workspace
 */
export async function actingPerson(ctx: Context, c: Http): Promise<Actor> {
  return { ...(await sessionActor(ctx, c)), surface: 'dashboard', requestId: c.get('requestId') }
}

/** Operations for a member of no workspace. Changes are recorded in the new workspace. */
const waysToOne: ReadonlySet<string> = new Set([
  'create_workspace',
  'list_deleted_workspaces',
  'restore_workspace',
])

/** The nil UUID, which no workspace has. */
const nowhere = '00000000-0000-0000-0000-000000000000'

/**
 * The signed-in person as the actor of this operation. A member of no workspace may only run those
 * that lead to one.
 *
 * @throws Fault not_signed_in, no_workspace
 */
export async function personRunning(ctx: Context, c: Http, operation: string): Promise<Actor> {
  try {
    return await actingPerson(ctx, c)
  } catch (error) {
    const hasNone = isFault(error, identityFaults.no_workspace)
    if (!hasNone || !waysToOne.has(operation)) throw error
    const { id, user } = await requireSession(ctx, c)
    return {
      userId: user.id,
      workspaceId: nowhere,
      scopes: ['*'],
      surface: 'dashboard',
      session: id,
      address: clientAddress(c, ctx.config),
      requestId: c.get('requestId'),
    }
  }
}
