import { z } from 'zod'
import { readAgentSettings } from '#features/agents/index.ts'
import { recordSystemEvent } from '#features/audit/index.ts'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { listAgentsAfter, listSilentSessions, type AgentWithSettings } from './deletable-store.ts'
import {
  addDeleted,
  deleteCounted,
  deletedDetail,
  deletedPerUnit,
  nothingDeleted,
} from './delete-counted.ts'

const dayMs = 86_400_000
const agentsAtOnce = 100

type RetentionContext = Pick<Context, 'db' | 'clock' | 'log'>

/**
 * Deletes conversations that are silent for longer than their agent keeps them (`retention_days`).
 * Figures stay. What a unit deleted is an event of the audit log.
 */
export const applyRetention = defineJob({
  kind: 'conversations.retention',
  input: z.object({}),
  everyMs: 60 * 60_000,
  maxAtOnce: 1,
  async run(ctx: RetentionContext, _input: unknown, { signal }: Pick<JobRun, 'signal'>) {
    await deleteOutdated(ctx, signal)
  },
})

/** Runs until nothing is left to delete, or the signal aborts. */
export async function deleteOutdated(ctx: RetentionContext, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ;) {
    const agents = await listAgentsAfter(ctx.db.read, after, agentsAtOnce)
    for (const agent of agents) {
      if (signal?.aborted === true) return
      const { retention_days: days } = readAgentSettings(agent.settings_json)
      if (days !== null) await deleteOf(ctx, agent, days, signal)
    }
    const last = agents.at(-1)
    // A short page is the last one: agents created meanwhile are left to the next run.
    if (last === undefined || agents.length < agentsAtOnce) return
    after = last.id
  }
}

async function deleteOf(
  { db, clock, log }: RetentionContext,
  agent: AgentWithSettings,
  days: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = clock.now()
  const before = now - days * dayMs
  const limit = deletedPerUnit
  const place = { workspaceId: agent.workspace_id, target: agent.id }
  let deleted = nothingDeleted
  for (;;) {
    if (signal?.aborted === true) break
    const found = await listSilentSessions(db.read, agent.id, before, { now, limit })
    if (found.length === 0) break
    const gone = await db.write(async (tx) => {
      // Looked for again: somebody may have gone on with one of them meanwhile.
      const ids = await listSilentSessions(tx, agent.id, before, { now, limit })
      if (ids.length === 0) return nothingDeleted
      const rows = await deleteCounted(tx, db, ids)
      const event = {
        ...place,
        action: applyRetention.kind,
        detail: { ...deletedDetail(rows), days },
      }
      await recordSystemEvent(tx, clock.now(), event)
      return rows
    })
    deleted = addDeleted(deleted, gone)
  }
  if (deleted.conversations > 0)
    log.info({ agentId: agent.id, ...deleted, days }, 'conversations were deleted by retention')
}
