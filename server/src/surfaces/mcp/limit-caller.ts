import { getWorkspace } from '#features/workspaces/index.ts'
import { Fault } from '#kernel/fault.ts'
import { plans, type Plan } from '#kernel/plan.ts'
import { findOperation } from '#operations/catalogue.ts'
import { workspaceOf } from '#operations/run-operation.ts'
import type { Config } from '#config'
import type { Context } from '#platform/context.ts'
import type { Verdict } from '#platform/limits/limits.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import type { Caller } from './caller.ts'
import type { RpcRequest } from './read-messages.ts'

const windowSeconds = 60

/** How a caller stands against their limit. */
export interface Allowance {
  readonly limit: number
  readonly remaining: number
  /** Epoch seconds. */
  readonly resetsAt: number
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

/** Whose requests are counted. */
export type Counted = Pick<Caller, 'actor' | 'plan'>

interface Place {
  readonly workspaceId: string
  readonly plan: Plan
}

/**
 * Counts a POST against the limit of the person in the workspace acted on. A batch counts each of
 * its requests, so that it gains nothing; what cannot be read counts to the default workspace.
 *
 * @returns null where the plan has no limit; of several workspaces the one with the least left
 */
export async function countRequests(
  ctx: Context,
  person: Counted,
  requests: readonly RpcRequest[],
): Promise<Allowance | null> {
  const calls = requests.length === 0 ? [null] : requests
  let tightest: Allowance | null = null
  for (const call of calls) {
    const counted = await countOne(ctx, person, await placeOf(ctx, person, call))
    if (counted !== null && (tightest === null || counted.remaining <= tightest.remaining))
      tightest = counted
    if (counted?.allowed === false) return counted
  }
  return tightest
}

/** @throws Fault rate_limited with limit and retryAfterSeconds */
export function requireAllowance(allowance: Allowance | null): void {
  if (allowance === null || allowance.allowed) return
  const { limit, retryAfterSeconds } = allowance
  throw new Fault(requestFaults.rate_limited, { limit, retryAfterSeconds })
}

async function countOne(
  { config, limits }: Context,
  { actor }: Counted,
  { workspaceId, plan }: Place,
): Promise<Allowance | null> {
  const limit = requestsPerMinute(config, plan)
  if (limit === null) return null
  const key = `mcp:${actor.userId}:${workspaceId}`
  return allowanceOf(limit, await limits.consume(key, { limit, windowSeconds }))
}

function requestsPerMinute({ mcpRateLimits }: Pick<Config, 'mcpRateLimits'>, plan: Plan) {
  const own = mcpRateLimits[plan]
  return own === undefined ? plans[plan].mcpRequestsPerMinute : own
}

function allowanceOf(limit: number, verdict: Verdict): Allowance {
  return {
    limit,
    remaining: Math.max(verdict.remaining, 0),
    resetsAt: Math.ceil(verdict.resetsAt / 1000),
    allowed: verdict.allowed,
    retryAfterSeconds: verdict.retryAfterSeconds,
  }
}

/** Where a call acts; for a stranger to that workspace it is their own, whose plan they may know. */
async function placeOf(
  ctx: Context,
  { actor, plan }: Counted,
  call: RpcRequest | null,
): Promise<Place> {
  const own = { workspaceId: actor.workspaceId, plan }
  if (call?.method !== 'tools/call' || typeof call.params.name !== 'string') return own
  const operation = findOperation(call.params.name)
  if (operation === undefined) return own
  const workspaceId = await workspaceOf({ ctx, actor, operation }, call.params.arguments)
  if (workspaceId === actor.workspaceId) return own
  try {
    return { workspaceId, plan: (await getWorkspace(ctx, actor.userId, workspaceId)).plan }
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return own
    throw error
  }
}
