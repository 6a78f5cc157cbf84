import { z } from 'zod'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'

/**
 * Enqueues the job without importing it. Its key is the agent: one job at a time embeds the agent's
 * knowledge.
 */
export const embedTicket = {
  kind: 'knowledge.embed',
  input: z.object({ agentId: z.string(), workspaceId: z.string() }),
}

/** A step: enqueues the embedding of an agent's knowledge. */
export async function enqueueEmbedding(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Tx,
  of: { readonly agent_id: string; readonly workspace_id: string },
): Promise<void> {
  const input = { agentId: of.agent_id, workspaceId: of.workspace_id }
  await jobs.enqueue(tx, embedTicket, input, { key: of.agent_id, workspaceId: of.workspace_id })
}
