import { accountDigest } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { memberFaults } from './member-faults.ts'

/**
 * Counts a new invitation against those that its workspace may make in a day: each can become an
 * account. If the unit fails, nothing is counted.
 *
 * @throws Fault workspace_invitations_limited; and what `unit` throws
 */
export async function countingNew<T>(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  workspaceId: string,
  unit: () => Promise<T>,
): Promise<T> {
  const { invitationsPerDay: limit } = config
  if (limit === null) return await unit()
  const refuse = (retryAfterSeconds: number) =>
    new Fault(memberFaults.workspace_invitations_limited, { limit, retryAfterSeconds })
  return await counting(limits, { key: `invitations:${workspaceId}`, limit, refuse }, unit)
}

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
  const refuse = (retryAfterSeconds: number) =>
    new Fault(memberFaults.invitations_limited, { email: to, retryAfterSeconds })
  const { invitationMailsWorkspaceLimit: ownLimit, invitationMailsLimit: limit } = config
  const own = { key: `invitations:${workspaceId}:to:${digest}`, limit: ownLimit, refuse }
  const all = { key: `invitations:to:${digest}`, limit, refuse }
  return await counting(limits, own, () => counting(limits, all, unit))
}

interface Daily {
  readonly key: string
  readonly limit: number
  refuse(retryAfterSeconds: number): Fault
}

async function counting<T>(
  limits: Context['limits'],
  { key, limit, refuse }: Daily,
  unit: () => Promise<T>,
): Promise<T> {
  const window = { limit, windowSeconds: 24 * 60 * 60 }
  const { allowed, retryAfterSeconds } = await limits.consume(key, window)
  try {
    if (!allowed) throw refuse(retryAfterSeconds)
    return await unit()
  } catch (error) {
    await limits.giveBack(key, window)
    throw error
  }
}
