import type { Selectable } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import type { ChatMessagesTable, ChatSessionsTable } from '#platform/db/schema.ts'

/** Reads of stored conversations, for people and their tools; the turn reads and writes its own. */

export type ConversationRow = Omit<
  Selectable<ChatSessionsTable>,
  'lease_token' | 'lease_until' | 'workspace_id'
> & { app_name_id: string }

export type MessageRow = Omit<Selectable<ChatMessagesTable>, 'parts_json' | 'session_id'> & {
  has_parts: number
}

function conversations(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('chat_sessions')
    .innerJoin('agents', 'agents.id', 'chat_sessions.agent_id')
    .select([
      'chat_sessions.id',
      'chat_sessions.agent_id',
      'chat_sessions.agent_version',
      'chat_sessions.source',
      'chat_sessions.end_user',
      'chat_sessions.created_at',
      'chat_sessions.last_message_at',
      'chat_sessions.message_count',
      'agents.app_name_id',
    ])
    .where('chat_sessions.workspace_id', '=', workspaceId)
}

/** Where a page of conversations begins: after the last one of the page before. */
export interface ConversationKey {
  readonly createdAt: number
  readonly id: string
}

/** Latest begun first. */
export function listConversationRows(
  reader: Reader,
  filter: { workspaceId: string; agentId: string },
  page: { limit: number; before: ConversationKey | undefined },
): Promise<ConversationRow[]> {
  let query = conversations(reader, filter.workspaceId)
    .where('chat_sessions.agent_id', '=', filter.agentId)
    .orderBy('chat_sessions.created_at', 'desc')
    .orderBy('chat_sessions.id', 'desc')
    .limit(page.limit)
  const { before } = page
  if (before !== undefined) {
    query = query.where((e) =>
      e(
        e.refTuple('chat_sessions.created_at', 'chat_sessions.id'),
        '<',
        e.tuple(before.createdAt, before.id),
      ),
    )
  }
  return query.execute()
}

export function findConversation(
  reader: Reader,
  workspaceId: string,
  sessionId: string,
): Promise<ConversationRow | undefined> {
  return conversations(reader, workspaceId)
    .where('chat_sessions.id', '=', sessionId)
    .executeTakeFirst()
}

/** Which workspace a conversation is in: asked before it is known where the caller may look. */
export async function findConversationWorkspace(
  reader: Reader,
  sessionId: string,
): Promise<string | undefined> {
  const row = await reader
    .selectFrom('chat_sessions')
    .select('workspace_id')
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return row?.workspace_id
}

/** Oldest first. The conversation itself must have been found in the caller's workspace first. */
export function listMessageRows(
  reader: Reader,
  sessionId: string,
  page: { limit: number; after: number },
): Promise<MessageRow[]> {
  return (
    reader
      .selectFrom('chat_messages')
      .select([
        'seq',
        'id',
        'role',
        'content',
        'model',
        'prompt_tokens',
        'completion_tokens',
        'latency_ms',
        'first_token_ms',
        'finish_reason',
        'error_code',
        'citations_json',
        'correlation_id',
        'created_at',
      ])
      // The parts may be megabytes of images: whether there are any is all that a transcript shows.
      .select((e) => e.case().when('parts_json', 'is', null).then(0).else(1).end().as('has_parts'))
      .where('session_id', '=', sessionId)
      .where('seq', '>', page.after)
      .orderBy('seq')
      .limit(page.limit)
      .execute()
  )
}
