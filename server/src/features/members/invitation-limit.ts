import { accountDigest } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { memberFaults } from './member-faults.ts'

const daySeconds = 24 * 60 * 60

/**
 * Counts a mailed invitation against what its recipient may receive in a day from all workspaces
 * together. If the unit fails, nothing is mailed and nothing is counted.
 *
 * @param to null if nothing is mailed
 * @throws Fault invitations_limited; and what `unit` throws
 */
export async function countingInvitation<T>(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  to: string | null,
  unit: () => Promise<T>,
): Promise<T> {
  if (to === null) return await unit()
  const key = `invitations:to:${accountDigest(to)}`
  const window = { limit: config.invitationMailsLimit, windowSeconds: daySeconds }
  const { allowed, retryAfterSeconds } = await limits.consume(key, window)
  if (!allowed) {
    await limits.giveBack(key, window)
    throw new Fault(memberFaults.invitations_limited, { email: to, retryAfterSeconds })
  }
  try {
    return await unit()
  } catch (error) {
    await limits.giveBack(key, window)
    throw error
  }
}
