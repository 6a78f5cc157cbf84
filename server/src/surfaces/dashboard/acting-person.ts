import { identityFaults, personalActor, type Session } from '#features/identity/index.ts'
import type { Actor } from '#kernel/actor.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requireAllowed } from '#surfaces/http/limits.ts'
import { requireSession } from '#surfaces/http/signed-in.ts'

/**
 * The session of a request, which counts for its person, whatever the session. Call it once per
 * request; `requireSession` reads the session again without counting.
 *
 * @throws Fault not_signed_in, rate_limited
 */
export async function countedSession(ctx: Context, c: Http): Promise<Session> {
  const session = await requireSession(ctx, c)
  await countCall(ctx, session.user.id)
  return session
}

/** In blocks, so that few requests need a query. */
async function countCall({ config, limits }: Context, userId: string): Promise<void> {
  const limit = config.dashboardRateLimit
  if (limit === null) return
  const window = { limit, windowSeconds: 60 }
  requireAllowed(await limits.consumeInBlocks(`dashboard:${userId}`, window), window)
}

/**
 * The signed-in person as an actor in the dashboard.
 *
 * @throws Fault not_signed_in, rate_limited, no_workspace
 */
export async function actingPerson(ctx: Context, c: Http): Promise<Actor> {
  return await actorOf(ctx, c, await countedSession(ctx, c))
}

async function actorOf(ctx: Context, c: Http, session: Session): Promise<Actor> {
  return { ...(await personalActor(ctx, session.user.id)), ...fromDashboard(ctx, c, session) }
}

/** What an actor in the dashboard has besides the person's membership. */
function fromDashboard({ config }: Context, c: Http, { id }: Session) {
  return {
    surface: 'dashboard',
    session: id,
    address: clientAddress(c, config),
    requestId: c.get('requestId'),
  } as const
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
 * @throws Fault not_signed_in, rate_limited, no_workspace
 */
export async function personRunning(ctx: Context, c: Http, operation: string): Promise<Actor> {
  const session = await countedSession(ctx, c)
  try {
    return await actorOf(ctx, c, session)
  } catch (error) {
    const hasNone = isFault(error, identityFaults.no_workspace)
    if (!hasNone || !waysToOne.has(operation)) throw error
    const userId = session.user.id
    return { userId, workspaceId: nowhere, scopes: ['*'], ...fromDashboard(ctx, c, session) }
  }
}
