import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Verdict } from '#platform/limits/limits.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import type { McpHttp } from './environment.ts'

/** What is left of a caller's limit. */
export interface Allowance extends Verdict {
  readonly limit: number
}

export const windowSeconds = 60

/**
 * Reported where there is no limit: every answer contains a number, and this is the largest that
 * every client can parse. With a number that counts down to zero, some clients would wait.
 */
const noLimit = 2_147_483_647

export function unlimited(now: number): Allowance {
  const resetsAt = now + windowSeconds * 1000
  return { limit: noLimit, remaining: noLimit, resetsAt, allowed: true, retryAfterSeconds: 1 }
}

/** @throws Fault rate_limited with limit and retryAfterSeconds */
export function requireAllowance({ allowed, limit, retryAfterSeconds }: Allowance): void {
  if (!allowed) throw new Fault(requestFaults.rate_limited, { limit, retryAfterSeconds })
}

export function limitHeaders({ limit, remaining, resetsAt }: Allowance): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(remaining, 0)),
    'x-ratelimit-reset': String(Math.ceil(resetsAt / 1000)),
  }
}

function setLimitHeaders(c: McpHttp, allowance: Allowance): void {
  for (const [name, value] of Object.entries(limitHeaders(allowance))) c.header(name, value)
  c.set('hasLimitHeaders', true)
}

type LimitContext = Pick<Context, 'config' | 'limits'>

/**
 * Counts a POST that is refused before authentication against the client's address. Valid
 * credentials are never counted here, so that failed attempts do not lock out other callers behind
 * the same address.
 *
 * @throws Fault rate_limited
 */
export async function limitStranger(ctx: LimitContext, c: McpHttp): Promise<void> {
  const { key, window } = failures(ctx, c)
  const allowance = { ...(await ctx.limits.consume(key, window)), limit: window.limit }
  setLimitHeaders(c, allowance)
  requireAllowance(allowance)
}

/** Sets the rate-limit headers for the client's address without counting. */
export async function setStandingHeaders(ctx: LimitContext, c: McpHttp): Promise<void> {
  const { key, window } = failures(ctx, c)
  setLimitHeaders(c, { ...(await ctx.limits.peek(key, window)), limit: window.limit })
}

function failures(ctx: LimitContext, c: McpHttp) {
  const window = { limit: ctx.config.mcpFailedCallsLimit, windowSeconds }
  return { key: `mcp:stranger:${clientAddress(c, ctx.config)}`, window }
}
