import { z } from 'zod'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'

/** What the job is enqueued by, apart from what it does. Its key is the agent: one embeds it at a time. */
export const embedTicket = {
  kind: 'knowledge.embed',
  input: z.object({ agentId: z.string(), workspaceId: z.string() }),
}

/** A step: has what an agent knows embedded, as far as it is not yet. */
export async function enqueueEmbedding(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Tx,
  of: { readonly agent_id: string; readonly workspace_id: string },
): Promise<void> {
  const input = { agentId: of.agent_id, workspaceId: of.workspace_id }
  await jobs.enqueue(tx, embedTicket, input, { key: of.agent_id, workspaceId: of.workspace_id })
}
