import { accountDigest } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { memberFaults } from './member-faults.ts'

/**
 * Counts a mailed invitation against what its recipient may receive in a day: from its workspace, so
 * that one stranger cannot use up the rest, and from all workspaces together. If the unit fails,
 * nothing is mailed and nothing is counted.
 *
 * @param to null if nothing is mailed
 * @throws Fault invitations_limited; and what `unit` throws
 */
export async function countingInvitation<T>(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  workspaceId: string,
  to: string | null,
  unit: () => Promise<T>,
): Promise<T> {
  if (to === null) return await unit()
  const digest = accountDigest(to)
  const { invitationMailsWorkspaceLimit: ownLimit, invitationMailsLimit: limit } = config
  const own = { key: `invitations:${workspaceId}:to:${digest}`, limit: ownLimit }
  const all = { key: `invitations:to:${digest}`, limit }
  return await counting(limits, to, own, () => counting(limits, to, all, unit))
}

async function counting<T>(
  limits: Context['limits'],
  email: string,
  { key, limit }: { readonly key: string; readonly limit: number },
  unit: () => Promise<T>,
): Promise<T> {
  const window = { limit, windowSeconds: 24 * 60 * 60 }
  const { allowed, retryAfterSeconds } = await limits.consume(key, window)
  try {
    if (!allowed) throw new Fault(memberFaults.invitations_limited, { email, retryAfterSeconds })
    return await unit()
  } catch (error) {
    await limits.giveBack(key, window)
    throw error
  }
}
