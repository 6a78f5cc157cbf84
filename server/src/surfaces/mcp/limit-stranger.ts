import type { Context as HonoContext } from 'hono'
import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import {
  allowanceOf,
  requireAllowance,
  tellAllowance,
  windowSeconds,
  type Allowance,
} from './allowance.ts'
import type { McpEnvironment } from './environment.ts'

type Http = HonoContext<McpEnvironment>
type LimitContext = Pick<Context, 'config' | 'limits'>

/**
 * Counts a POST refused before authentication to the client's address. A good credential is never
 * counted here, so nobody is locked out by what others behind their address try.
 *
 * @throws Fault rate_limited
 */
export async function limitStranger(ctx: LimitContext, c: Http): Promise<void> {
  const { key, window } = failures(ctx, c)
  const allowance = allowanceOf(window.limit, await ctx.limits.consume(key, window))
  tellAllowance(c, allowance)
  requireAllowance(allowance)
}

/** Sets the rate-limit headers for the client's address without counting. */
export async function tellStanding(ctx: LimitContext, c: Http): Promise<void> {
  tellAllowance(c, await standing(ctx, c))
}

async function standing(ctx: LimitContext, c: Http): Promise<Allowance> {
  const { key, window } = failures(ctx, c)
  return allowanceOf(window.limit, await ctx.limits.peek(key, window))
}

function failures(ctx: LimitContext, c: Http) {
  const window = { limit: ctx.config.mcpFailedCallsLimit, windowSeconds }
  return { key: `mcp:stranger:${clientAddress(c, ctx.config)}`, window }
}
