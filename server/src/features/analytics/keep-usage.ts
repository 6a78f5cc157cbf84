import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import { allowedOf } from '#kernel/limits.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { z } from 'zod'
import type { Tally } from './tally.ts'
import {
  addAgentUsage,
  correctUsage,
  deleteUsersOfDay,
  findDifference,
  findOldestUsers,
  listUncompared,
} from './usage-store.ts'

/** A step: adds what was counted to the usage of its workspaces. @returns their numbers of end users */
export async function addCounted(
  tx: Tx,
  { stored }: Pick<Tally, 'stored'>,
  newUsers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const users = Map.groupBy(newUsers, (agentId) => agentId)
  const after = new Map<string, number>()
  for (const agentId of new Set([...stored.keys(), ...users.keys()])) {
    const { messages, bytes } = stored.get(agentId) ?? { messages: 0, bytes: 0 }
    const added = { messages, bytes, users: users.get(agentId)?.length ?? 0 }
    const usage = await addAgentUsage(tx, agentId, added)
    if (usage !== undefined) after.set(usage.workspace_id, Number(usage.analytics_users))
  }
  return after
}

/** A step: subtracts messages that were counted and are being deleted. */
export async function takeDeleted(tx: Tx, { stored }: Pick<Tally, 'stored'>): Promise<void> {
  for (const [agentId, { messages, bytes }] of stored)
    await addAgentUsage(tx, agentId, { messages: -messages, bytes: -bytes, users: 0 })
}

const usersPerUnit = 500

/**
 * Forgets the end users of the oldest days, until a workspace is within its limit. The other figures of
 * those days stay.
 */
export async function forgetOldestUsers(
  { db, config, log }: Pick<Context, 'db' | 'config' | 'log'>,
  workspaceId: string,
  users: number,
  signal?: AbortSignal,
): Promise<void> {
  const allowed = allowedOf(config, 'counted_users_per_workspace')
  if (allowed === null || users <= allowed) return
  log.info({ workspaceId, users, allowed }, 'analytics forgets the end users of the oldest days')
  for (let left = users; left > allowed;) {
    if (signal?.aborted === true) return
    const most = Math.min(usersPerUnit, left - allowed)
    const forgotten = await db.write(async (tx) => {
      const oldest = await findOldestUsers(tx, workspaceId)
      if (oldest === null) return 0
      const deleted = await deleteUsersOfDay(tx, oldest, most)
      await addAgentUsage(tx, oldest.agent_id, { messages: 0, bytes: 0, users: -deleted })
      return deleted
    })
    if (forgotten === 0) return
    left -= forgotten
  }
}

/**
 * Compares the usage of workspaces with their rows: once after the upgrade that introduced it, each
 * week, and after the purge of an agent. Processes of an older version, which a rolling upgrade runs
 * beside this one, delete and count messages without keeping it.
 */
export const compareUsage = defineJob({
  kind: 'analytics.compare_usage',
  input: z.object({}),
  everyMs: 60 * 60_000,
  maxAtOnce: 1,
  run: (ctx: Pick<Context, 'db' | 'clock'>, _input, { signal }) => compareAll(ctx, signal),
})

export async function compareAll(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const startedAt = clock.now()
  for (const workspaceId of await listUncompared(db.scan, startedAt - 7 * dayMs)) {
    if (signal?.aborted === true) return
    const difference = await findDifference(db.scan, workspaceId)
    if (difference === null) continue
    const by = {
      messages: Number(difference.messages),
      bytes: Number(difference.bytes),
      users: Number(difference.users),
    }
    await db.write((tx) => correctUsage(tx, workspaceId, by, startedAt))
  }
}
