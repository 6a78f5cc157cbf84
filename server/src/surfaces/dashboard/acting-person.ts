import type { Actor } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requireSession, sessionActor } from '#surfaces/http/signed-in.ts'

/**
 * Who is signed in, as one who acts through the dashboard.
 *
 * @throws Fault not_signed_in, no_workspace
 */
export async function actingPerson(ctx: Context, c: Http): Promise<Actor> {
  return { ...(await sessionActor(ctx, c)), surface: 'dashboard', requestId: c.get('requestId') }
}

/**
 * Operations that a member of no workspace needs to get one. Changes are recorded in the new one.
 */
const waysToOne: ReadonlySet<string> = new Set([
  'create_workspace',
  'list_deleted_workspaces',
  'restore_workspace',
])

/** The nil UUID: no workspace has it, so whatever looks for one finds nothing. */
const nowhere = '00000000-0000-0000-0000-000000000000'

/**
 * Who is signed in, as one who runs this operation. A member of no workspace may get one, and
 * nothing else.
 *
 * @throws Fault not_signed_in, no_workspace
 */
export async function personRunning(ctx: Context, c: Http, operation: string): Promise<Actor> {
  try {
    return await actingPerson(ctx, c)
  } catch (error) {
    const hasNone = error instanceof Fault && error.code === 'no_workspace'
    if (!hasNone || !waysToOne.has(operation)) throw error
    const { user } = await requireSession(ctx, c)
    return {
      userId: user.id,
      workspaceId: nowhere,
      scopes: ['*'],
      surface: 'dashboard',
      address: clientAddress(c, ctx.config),
      requestId: c.get('requestId'),
    }
  }
}
