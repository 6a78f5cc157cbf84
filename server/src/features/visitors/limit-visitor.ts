import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
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
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  what: Counted,
  { agentId }: OpenPage,
  visit: VisitClaims,
  address: string,
): Promise<() => Promise<void>> {
  const counted = [
    [`${what}:${agentId}:${endUserOf(visit)}`, config.visitorRateLimit],
    [`${what}-address:${address}`, config.visitorAddressRateLimit],
  ] as const
  const taken: (() => Promise<void>)[] = []
  for (const [key, limit] of counted) {
    if (limit === null) continue
    const window = { limit, windowSeconds: 60 }
    const { allowed, retryAfterSeconds } = await limits.consume(key, window)
    if (!allowed) throw new Fault(faults.visitor_limited, { limit, retryAfterSeconds })
    taken.push(() => limits.giveBack(key, window))
  }
  return async () => {
    for (const giveBack of taken) await giveBack()
  }
}
