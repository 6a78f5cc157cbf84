import type { Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Verdict, Window } from '#platform/limits/limits.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

type Http = HonoContext<HttpEnvironment>

const minute = 60
const hour = 60 * minute

/**
 * Failed token calls are limited, by the caller's address; good ones are not counted, however many
 * clients share an address. Once the limit is reached good ones wait too, or guesses would go on.
 *
 * @throws Fault rate_limited; and what `call` throws
 */
export async function countingFailures<T>(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
  call: () => Promise<T>,
): Promise<T> {
  const failures: Window = { limit: ctx.config.oauthFailedCallsLimit, windowSeconds: minute }
  const key = `oauth:token:${clientAddress(c, ctx.config)}`
  requireAllowed(await ctx.limits.peek(key, failures))
  try {
    return await call()
  } catch (error) {
    // Our own failures are not the caller's.
    if (error instanceof Fault) await ctx.limits.consume(key, failures)
    throw error
  }
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
