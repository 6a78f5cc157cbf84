import type { Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Verdict } from '#platform/limits/limits.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { createFailureLimit } from './failure-limit.ts'

type Http = HonoContext<HttpEnvironment>

const minute = 60
const hour = 60 * minute

export type LimitFailedCalls = <T>(c: Http, call: () => Promise<T>) => Promise<T>

/**
 * Failed token calls are limited, by the caller's address; good ones are not, however many clients
 * share an address. Once the limit is reached good ones wait too, or guesses would go on.
 */
export function limitFailedCalls(
  ctx: Pick<Context, 'limits' | 'log' | 'config'>,
): LimitFailedCalls {
  const { config } = ctx
  const window = { limit: config.oauthFailedCallsLimit, windowSeconds: minute }
  const limitFailures = createFailureLimit(ctx, window)
  return (c, call) => limitFailures(`oauth:token:${clientAddress(c, config)}`, call)
}

/** Each makes a row. @throws Fault rate_limited */
export async function limitAuthorizations(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
): Promise<void> {
  const window = { limit: ctx.config.oauthAuthorizationLimit, windowSeconds: minute }
  const key = `oauth:authorize:${clientAddress(c, ctx.config)}`
  requireAllowed(await ctx.limits.consume(key, window))
}

/** @throws Fault rate_limited */
export async function limitRegistrations(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
): Promise<void> {
  const window = { limit: ctx.config.oauthRegistrationLimit, windowSeconds: hour }
  const key = `oauth:register:${clientAddress(c, ctx.config)}`
  requireAllowed(await ctx.limits.consume(key, window))
}

function requireAllowed({ allowed, retryAfterSeconds }: Verdict): void {
  if (!allowed) throw new Fault(requestFaults.rate_limited, { retryAfterSeconds })
}
