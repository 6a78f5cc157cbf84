import { sql } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Reader } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** As in the indexes of conversations. */
const digits = sql`substr(agent_id, 30)`

/** When an agent's youngest conversation with an end user began; null if there is none. */
export async function findLastBeginning(reader: Reader, agentId: string, endUser: string) {
  const row = await reader
    .selectFrom('chat_sessions')
    .select(({ fn }) => fn.max('created_at').as('at'))
    .where('agent_id', '=', agentId)
    .where(digits, '=', lastDigits(agentId))
    .where('end_user', '=', endUser)
    .executeTakeFirst()
  return row?.at ?? null
}

/**
 * Conversations of an agent with one end user, begun at `last` or earlier. Ordered as in the index of end
 * users: without an order, PostgreSQL reads the table from its beginning each time.
 */
export async function listSessionsOf(
  reader: Reader,
  agentId: string,
  endUser: string,
  { last, limit }: { readonly last: number; readonly limit: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom('chat_sessions')
    .select('id')
    .where('agent_id', '=', agentId)
    .where(digits, '=', lastDigits(agentId))
    .where('end_user', '=', endUser)
    .where('created_at', '<=', last)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The id of a conversation of an agent, if it exists. */
export async function listOwnSession(
  reader: Reader,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string },
  sessionId: string,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('chat_sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether any agent of the workspace has a conversation with the end user. */
export async function isKnownElsewhere(reader: Reader, workspaceId: string, endUser: string) {
  const row = await reader
    .selectFrom('agents')
    .innerJoin('chat_sessions', (join) =>
      join
        .onRef('chat_sessions.agent_id', '=', 'agents.id')
        .on(sql<boolean>`substr(chat_sessions.agent_id, 30) = substr(agents.id, 30)`),
    )
    .select('chat_sessions.id')
    .where('agents.workspace_id', '=', workspaceId)
    .where('chat_sessions.end_user', '=', endUser)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Conversations of an agent whose last message is older than `before` and that no turn holds. */
export async function listSilentSessions(
  reader: Reader,
  agentId: string,
  before: number,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom('chat_sessions')
    .select('id')
    .where('agent_id', '=', agentId)
    .where(digits, '=', lastDigits(agentId))
    .where('created_at', '<', before)
    .where('last_message_at', '<', before)
    .where('lease_until', '<', now)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export type AgentWithSettings = Pick<Schema['agents'], 'id' | 'workspace_id' | 'settings_json'>

/** Agents by id, deleted ones too: retention applies to their conversations as well. */
export function listAgentsAfter(reader: Reader, after: string, limit: number) {
  return reader
    .selectFrom('agents')
    .select(['id', 'workspace_id', 'settings_json'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
