import type { Context } from '#platform/context.ts'
import { listConversations, type ListedConversation } from './list-conversations.ts'
import { listAgentsByLastConversation } from './reading-store.ts'

/** The agents of a search. Each has terms of its own, so each is searched on its own. */
export const agentsSearched = 10

/**
 * Conversations of a workspace that contain all words, latest begun first: of the agents that were
 * talked to last. A person who looks for others opens their agent.
 */
export async function findConversations(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  { query, limit }: { readonly query: string; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly ListedConversation[]> {
  const agentIds = await listAgentsByLastConversation(ctx.db.report, workspaceId, agentsSearched)
  const found: ListedConversation[] = []
  // One after the other, so that a search of one person takes one connection.
  for (const agentId of agentIds) {
    signal.throwIfAborted()
    const page = { query, limit, cursor: undefined }
    found.push(...(await listConversations(ctx, workspaceId, agentId, page)).items)
  }
  return found.toSorted((one, other) => other.createdAt - one.createdAt).slice(0, limit)
}
