import { z } from 'zod'
import {
  endChain,
  hasPurgeBegun,
  recordPurgeBegun,
  recordPurged,
  recordSystemEvent,
} from '#features/audit/index.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { retentionMs } from './delete-workspace.ts'
import { contentsOfAgent, contentsOfWorkspace, recordsOfAgent, type Purged } from './purge-plan.ts'
import {
  beginPurge,
  deleteSome,
  deleteWorkspaceRow,
  listAgentIds,
  listPurgeable,
  listPurgeableAgents,
  markAgentPurged,
} from './purge-store.ts'

type PurgeContext = Pick<Context, 'db' | 'clock' | 'config' | 'log' | 'vault'>

/**
 * Deletes permanently what was deleted `WORKSPACE_RETENTION_DAYS` ago: whole workspaces, and the
 * conversations, knowledge and actions of deleted agents. Each unit deletes a few hundred rows, and
 * the next looks for what is left, so the next run completes what a dead process began.
 */
export async function purgeDeleted(ctx: PurgeContext, signal: AbortSignal): Promise<void> {
  const deletedBefore = ctx.clock.now() - retentionMs(ctx.config)
  for (const id of await listPurgeable(ctx.db.read, deletedBefore))
    await purgeWorkspace(ctx, id, deletedBefore, signal)
  for (const { id, workspace_id } of await listPurgeableAgents(ctx.db.read, deletedBefore)) {
    for (const step of contentsOfAgent) await purge(ctx, step, id, signal)
    await ctx.db.write(async (tx) => {
      const now = ctx.clock.now()
      await markAgentPurged(tx, id, now)
      const event = { workspaceId: workspace_id, action: 'purge_app', target: id, detail: {} }
      await recordSystemEvent(tx, now, event)
    })
  }
}

async function purgeWorkspace(
  ctx: PurgeContext,
  id: string,
  deletedBefore: number,
  signal: AbortSignal,
): Promise<void> {
  const isRecorded = await hasPurgeBegun(ctx, id, ctx.db.scan)
  const isBegun = await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    if (!(await beginPurge(tx, id, { deletedBefore, now }))) return false
    if (!isRecorded) await recordPurgeBegun(tx, now, id)
    return true
  })
  if (!isBegun) return
  ctx.log.info({ workspaceId: id }, 'purging a deleted workspace')
  for (const agentId of await listAgentIds(ctx.db.read, id))
    for (const step of [...contentsOfAgent, ...recordsOfAgent])
      await purge(ctx, step, agentId, signal)
  for (const step of contentsOfWorkspace) await purge(ctx, step, id, signal)
  await ctx.db.write(async (tx) => {
    await deleteWorkspaceRow(tx, id)
    // Its own audit log is gone, so the event belongs to the instance. It says where the log ended.
    await recordPurged(tx, ctx.clock.now(), id, await endChain(ctx, tx, id))
  })
}

async function purge(
  { db }: Pick<Context, 'db'>,
  step: Purged,
  ownerId: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    if ((await db.write((tx) => deleteSome(tx, db.engine, step, ownerId))) === 0) return
  }
}

export const purgeWorkspaces = defineJob({
  kind: 'workspaces.purge',
  input: z.object({}),
  everyMs: 60 * 60 * 1000,
  maxAtOnce: 1,
  run: (ctx: PurgeContext, _input, { signal }) => purgeDeleted(ctx, signal),
})
