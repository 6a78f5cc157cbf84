import { z } from 'zod'
import { readAgentSettings } from '#features/agents/index.ts'
import { recordSystemEvent } from '#features/audit/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { listAgentsAfter, listSilentSessions, type AgentWithSettings } from './deletable-store.ts'
import { deleteListed } from './delete-counted.ts'

const agentsAtOnce = 100

type RetentionContext = Pick<Context, 'db' | 'clock' | 'log'>

/**
 * Deletes conversations whose last message is older than their agent's `retention_days`. Their
 * figures stay. Each unit writes an event to the audit log.
 */
export const applyRetention = defineJob({
  kind: 'conversations.retention',
  input: z.object({}),
  everyMs: 60 * 60_000,
  maxAtOnce: 1,
  run: (ctx: RetentionContext, _input, { signal }): Promise<void> => deleteOutdated(ctx, signal),
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
  const event = {
    workspaceId: agent.workspace_id,
    action: applyRetention.kind,
    target: agent.id,
  }
  const deleted = await deleteListed(
    db,
    (reader, limit) => listSilentSessions(reader, agent.id, before, { now, limit }),
    (tx, rows) => recordSystemEvent(tx, clock.now(), { ...event, detail: { ...rows, days } }),
    signal,
  )
  if (deleted.conversations > 0)
    log.info({ agentId: agent.id, ...deleted, days }, 'retention deleted conversations')
}
