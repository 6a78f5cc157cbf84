import type { Context as HonoContext } from 'hono'
import type { Actor } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { sessionActor } from '#surfaces/http/signed-in.ts'

/**
 * Who is signed in, as one who acts through the dashboard.
 *
 * @throws Fault not_signed_in, no_workspace
 */
export async function actingPerson(ctx: Context, c: HonoContext<HttpEnvironment>): Promise<Actor> {
  return { ...(await sessionActor(ctx, c)), face: 'dashboard', requestId: c.get('requestId') }
}
