import type { Context } from '#platform/context.ts'
import { clientAddress } from '#surfaces/http/client-address.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requireWithinLimit } from '#surfaces/http/require-within-limit.ts'
import { createFailureLimit } from './failure-limit.ts'

const minute = 60
const hour = 60 * minute

export type LimitFailedCalls = <T>(c: Http, call: () => Promise<T>) => Promise<T>

/**
 * Limits failed token calls by the caller's address. Good calls have no limit, however many clients
 * share an address, but once the limit is reached they wait too: otherwise guessing could continue.
 */
export function limitFailedCalls(
  ctx: Pick<Context, 'limits' | 'log' | 'config'>,
): LimitFailedCalls {
  const { config } = ctx
  const window = { limit: config.oauthFailedCallsLimit, windowSeconds: minute }
  const limitFailures = createFailureLimit(ctx, window)
  return (c, call) => limitFailures(`oauth:token:${clientAddress(c, config)}`, call)
}

/** Each authorization stores a row. @throws Fault rate_limited */
export async function limitAuthorizations(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
): Promise<void> {
  const window = { limit: ctx.config.oauthAuthorizationLimit, windowSeconds: minute }
  const key = `oauth:authorize:${clientAddress(c, ctx.config)}`
  await requireWithinLimit(ctx, key, window)
}

/** @throws Fault rate_limited */
export async function limitRegistrations(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
): Promise<void> {
  const window = { limit: ctx.config.oauthRegistrationLimit, windowSeconds: hour }
  const key = `oauth:register:${clientAddress(c, ctx.config)}`
  await requireWithinLimit(ctx, key, window)
}
