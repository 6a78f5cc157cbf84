import { getWorkspace, rateHolder } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { plans, type Plan } from '#kernel/plan.ts'
import { findOperation } from '#operations/catalogue.ts'
import { workspaceOf } from '#operations/run-operation.ts'
import type { Config } from '#config'
import type { Context } from '#platform/context.ts'
import { unlimited, windowSeconds, type Allowance } from './allowance.ts'
import type { Caller } from './tools.ts'
import type { RpcRequest } from './read-messages.ts'

/** The person whose requests are counted. */
export type Counted = Pick<Caller, 'actor' | 'plan' | 'rateHolder'>

interface Place {
  readonly plan: Plan
  readonly rateHolder: string
}

/**
 * Counts a POST against the person's limit in the workspace that it acts in. Workspaces of one owner
 * on a plan that anyone gets share the limit. Each request of a
 * batch counts. A body that cannot be read counts for the default workspace.
 *
 * @returns of several workspaces the one with the least left
 */
export async function countRequests(
  ctx: Context,
  person: Counted,
  requests: readonly RpcRequest[],
): Promise<Allowance> {
  const calls = requests.length === 0 ? [null] : requests
  let tightest = unlimited(Date.now())
  for (const call of calls) {
    const counted = await countOne(ctx, person, await placeOf(ctx, person, call))
    if (counted.remaining <= tightest.remaining) tightest = counted
    if (!counted.allowed) return counted
  }
  return tightest
}

async function countOne(
  { config, limits }: Context,
  { actor }: Counted,
  { plan, rateHolder: holder }: Place,
): Promise<Allowance> {
  const limit = requestsPerMinute(config, plan)
  if (limit === null) return unlimited(Date.now())
  const key = `mcp:${actor.userId}:${holder}`
  return { ...(await limits.consume(key, { limit, windowSeconds })), limit }
}

function requestsPerMinute({ mcpRateLimits }: Pick<Config, 'mcpRateLimits'>, plan: Plan) {
  const own = mcpRateLimits[plan]
  return own === undefined ? plans[plan].mcpRequestsPerMinute : own
}

/**
 * The workspace that a call acts in. If the caller is not a member of it, their own workspace
 * counts, because the limit would reveal the other workspace's plan.
 */
async function placeOf(
  ctx: Context,
  { actor, plan, rateHolder: ownHolder }: Counted,
  call: RpcRequest | null,
): Promise<Place> {
  const own = { plan, rateHolder: ownHolder }
  if (call?.method !== 'tools/call' || typeof call.params.name !== 'string') return own
  const operation = findOperation(call.params.name)
  if (operation === undefined) return own
  const workspaceId = await workspaceOf({ ctx, actor, operation }, call.params.arguments)
  if (workspaceId === actor.workspaceId) return own
  try {
    const workspace = await getWorkspace(ctx.db.read, actor.userId, workspaceId)
    return { plan: workspace.plan, rateHolder: rateHolder(ctx.config, workspace) }
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return own
    throw error
  }
}
