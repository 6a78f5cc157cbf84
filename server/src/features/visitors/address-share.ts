import ipaddr from 'ipaddr.js'
import { daySeconds } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import type { VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** A small budget would otherwise end a visitor's first conversation. */
const leastShare = 20

interface Counted {
  /** The message, and its files. */
  readonly messages: number
  /** The visitor's address. */
  readonly address: string
}

/**
 * Counts a message towards the share of the day's budget that one sender has, if `unit` accepts it. Without
 * shares, one address could use up a budget below every other limit. The count of a process on SQLite ends
 * with it; the budget itself does not.
 *
 * @throws Fault daily_budget_used; and what `unit` throws
 */
export async function countingShare<T>(
  { config, limits, clock }: Pick<Context, 'config' | 'limits' | 'clock'>,
  { agentId, settings }: OpenPage,
  visit: VisitClaims,
  { messages, address }: Counted,
  unit: () => Promise<T>,
): Promise<T> {
  const sender = senderOf(visit, address)
  const limit = Math.max(
    leastShare,
    Math.floor((settings.daily_messages * config.visitorAddressShare) / 100),
  )
  if (sender === null || limit >= settings.daily_messages) return await unit()
  const [now, window] = [clock.now() / 1000, { limit, windowSeconds: daySeconds }]
  const day = Math.floor(now / daySeconds)
  const key = `visitor-share:${agentId}:${day}:${sender}`
  let counted = 0
  try {
    while (counted < messages) {
      counted += 1
      if ((await limits.consume(key, window)).allowed) continue
      const retryAfterSeconds = Math.ceil((day + 1) * daySeconds - now)
      throw new Fault(faults.daily_budget_used, { limit, retryAfterSeconds })
    }
    return await unit()
  } catch (error) {
    for (; counted > 0; counted -= 1) await limits.giveBack(key, window)
    throw error
  }
}

/**
 * Who has a share: a person who signed in or whom the host identified, or else the address. An address of a
 * private network is nobody's: it is that of a proxy, or of the visitors' own company.
 */
function senderOf({ user, person }: VisitClaims, address: string): string | null {
  if (user !== undefined) return `user:${user.id}`
  if (person !== undefined) return `person:${person}`
  return isPrivate(address) ? null : address
}

const privateRanges = new Set<string>([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
])

function isPrivate(address: string): boolean {
  return !ipaddr.isValid(address) || privateRanges.has(ipaddr.parse(address).range())
}
