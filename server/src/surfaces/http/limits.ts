import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Verdict, Window } from '#platform/limits/limits.ts'
import { clientAddress } from './client-address.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'

/** Counts a request in a window. @throws Fault rate_limited */
export async function requireWithinLimit(
  { limits }: Pick<Context, 'limits'>,
  key: string,
  window: Window,
): Promise<void> {
  requireAllowed(await limits.consume(key, window), window)
}

/** @throws Fault rate_limited */
export function requireAllowed({ allowed, retryAfterSeconds }: Verdict, window: Window): void {
  if (allowed) return
  throw new Fault(requestFaults.rate_limited, { limit: window.limit, retryAfterSeconds })
}

/** Counts a request of the client's address. @throws Fault rate_limited */
export async function limitAddress(
  ctx: Pick<Context, 'limits' | 'config'>,
  c: Http,
  name: string,
  window: Window,
): Promise<void> {
  await requireWithinLimit(ctx, `${name}:${clientAddress(c, ctx.config)}`, window)
}
