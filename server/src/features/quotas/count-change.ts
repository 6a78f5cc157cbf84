import { daySeconds } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { quotaFaults } from './quota-faults.ts'

/**
 * Counts a change of a workspace: each one is an event of the audit log, which is kept. What removes
 * something is not counted, so that it is never refused; it removes only what counted before.
 *
 * @throws Fault changes_limited
 */
export async function countChange(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  workspaceId: string,
): Promise<void> {
  const { changesPerDay: limit } = config
  if (limit === null) return
  const window = { limit, windowSeconds: daySeconds }
  const { allowed, retryAfterSeconds } = await limits.consumeInBlocks(
    `changes:${workspaceId}`,
    window,
  )
  if (!allowed) throw new Fault(quotaFaults.changes_limited, { limit, retryAfterSeconds })
}
