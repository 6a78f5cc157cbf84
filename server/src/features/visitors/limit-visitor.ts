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
 * @throws Fault visitor_limited
 */
export async function limitVisitor(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  what: Counted,
  { agentId }: OpenPage,
  visit: VisitClaims,
  address: string,
): Promise<void> {
  const counted = [
    [`${what}:${agentId}:${endUserOf(visit)}`, config.visitorRateLimit],
    [`${what}-address:${address}`, config.visitorAddressRateLimit],
  ] as const
  for (const [key, limit] of counted) {
    if (limit === null) continue
    const { allowed, retryAfterSeconds } = await limits.consume(key, { limit, windowSeconds: 60 })
    if (!allowed) throw new Fault(faults.visitor_limited, { limit, retryAfterSeconds })
  }
}
