import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Verdict, Window } from '#platform/limits/limits.ts'
import type { OpenPage } from './open-page.ts'
import { endUserOf } from './visit.ts'
import type { VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** What is counted: messages, and captchas that the provider is asked about. */
type Counted = 'visitor' | 'captcha'

/**
 * Counts something that a visitor does against the limits of the visitor and of the address.
 *
 * @returns takes it back
 * @throws Fault visitor_limited
 */
export async function limitVisitor(
  ctx: Pick<Context, 'config' | 'limits'>,
  what: Counted,
  page: OpenPage,
  visit: VisitClaims,
  address: string,
): Promise<() => Promise<void>> {
  const { limits } = ctx
  const taken: (() => Promise<void>)[] = []
  for (const { key, window } of windowsOf(ctx, what, page, visit, address)) {
    requireAllowed(window, await limits.consume(key, window))
    taken.push(() => limits.giveBack(key, window))
  }
  return async () => {
    for (const giveBack of taken) await giveBack()
  }
}

/**
 * Whether a message would be within the limits, without counting it: before a body with files is read.
 *
 * @throws Fault page_paused, visitor_limited
 */
export async function requireRoomForMessage(
  ctx: Pick<Context, 'config' | 'limits'>,
  page: OpenPage,
  visit: VisitClaims,
  address: string,
): Promise<void> {
  if (page.settings.paused) throw new Fault(faults.page_paused)
  for (const { key, window } of windowsOf(ctx, 'visitor', page, visit, address))
    requireAllowed(window, await ctx.limits.peek(key, window))
}

function windowsOf(
  { config }: Pick<Context, 'config'>,
  what: Counted,
  { agentId }: OpenPage,
  visit: VisitClaims,
  address: string,
) {
  const counted = [
    [`${what}:${agentId}:${endUserOf(visit)}`, config.visitorRateLimit],
    [`${what}-address:${address}`, config.visitorAddressRateLimit],
  ] as const
  return counted.flatMap(([key, limit]) =>
    limit === null ? [] : [{ key, window: { limit, windowSeconds: 60 } }],
  )
}

function requireAllowed({ limit }: Window, { allowed, retryAfterSeconds }: Verdict): void {
  if (!allowed) throw new Fault(faults.visitor_limited, { limit, retryAfterSeconds })
}
