import type { Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Verdict } from '#platform/limits/limits.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import type { McpEnvironment } from './environment.ts'

/** How a caller stands against their limit. */
export interface Allowance {
  readonly limit: number
  readonly remaining: number
  /** Epoch seconds. */
  readonly resetsAt: number
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

export const windowSeconds = 60

/**
 * Reported where there is no limit: every answer carries a number, and this is the largest that
 * every client can parse. A number counting down to zero would make some clients wait.
 */
const noLimit = 2_147_483_647

export function unlimited(now: number): Allowance {
  const resetsAt = Math.ceil(now / 1000) + windowSeconds
  return { limit: noLimit, remaining: noLimit, resetsAt, allowed: true, retryAfterSeconds: 1 }
}

export function allowanceOf(limit: number, verdict: Verdict): Allowance {
  return {
    limit,
    remaining: Math.max(verdict.remaining, 0),
    resetsAt: Math.ceil(verdict.resetsAt / 1000),
    allowed: verdict.allowed,
    retryAfterSeconds: verdict.retryAfterSeconds,
  }
}

/** @throws Fault rate_limited with limit and retryAfterSeconds */
export function requireAllowance({ allowed, limit, retryAfterSeconds }: Allowance): void {
  if (!allowed) throw new Fault(requestFaults.rate_limited, { limit, retryAfterSeconds })
}

export function tellAllowance(c: HonoContext<McpEnvironment>, allowance: Allowance): void {
  c.header('X-RateLimit-Limit', String(allowance.limit))
  c.header('X-RateLimit-Remaining', String(allowance.remaining))
  c.header('X-RateLimit-Reset', String(allowance.resetsAt))
  c.set('isAllowanceTold', true)
}
