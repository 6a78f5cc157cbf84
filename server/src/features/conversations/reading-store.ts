import { sql, type RawBuilder } from 'kysely'
import type { Reader } from '#platform/db/database.ts'
import { lastDigits } from '#kernel/ids.ts'
import { hasCalls, shortCalls } from './message-content-store.ts'

/** Reads stored conversations for people and their tools. Turns use their own stores. */

function conversations(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('chat_sessions')
    .innerJoin('agents', 'agents.id', 'chat_sessions.agent_id')
    .select([
      'chat_sessions.id',
      'chat_sessions.agent_id as app_id',
      'chat_sessions.agent_version as app_version',
      'chat_sessions.source',
      'chat_sessions.end_user',
      'chat_sessions.created_at',
      'chat_sessions.last_message_at',
      'chat_sessions.message_count',
      'agents.app_name_id',
    ])
    .where('chat_sessions.workspace_id', '=', workspaceId)
}

/** Reads one entry of an index for each agent. */
export async function listAgentsByLastConversation(
  reader: Reader,
  workspaceId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, (
        select created_at from chat_sessions
        where agent_id = agents.id and substr(agent_id, 30) = substr(agents.id, 30)
        order by created_at desc limit 1
      ) as latest
      from agents where workspace_id = ${workspaceId} and deleted_at is null
    ) as own
    where latest is not null order by latest desc, id limit ${limit}`.execute(reader)
  return rows.map(({ id }) => id)
}

/** Latest begun first; `before` is the last conversation of the previous page. */
export function listConversationRows(
  reader: Reader,
  place: { workspaceId: string; agentId: string },
  page: {
    limit: number
    before: { createdAt: number; id: string } | undefined
    conditions: readonly RawBuilder<boolean>[]
  },
) {
  // An index has all that filters need (migration 31), so that only the rows of the page are read.
  let found = reader
    .selectFrom('chat_sessions')
    .select('chat_sessions.id')
    .where('chat_sessions.agent_id', '=', place.agentId)
    .where(sql`substr(chat_sessions.agent_id, 30)`, '=', lastDigits(place.agentId))
    .orderBy('chat_sessions.created_at', 'desc')
    .orderBy('chat_sessions.id', 'desc')
    .limit(page.limit)
  const { before } = page
  if (before !== undefined) {
    found = found
      .where('chat_sessions.created_at', '<=', before.createdAt)
      .where((e) =>
        e(
          e.refTuple('chat_sessions.created_at', 'chat_sessions.id'),
          '<',
          e.tuple(before.createdAt, before.id),
        ),
      )
  }
  for (const condition of page.conditions) found = found.where(condition)
  return conversations(reader, place.workspaceId)
    .select([questionOfRow.as('question'), ratingOfRow.as('rating')])
    .where('chat_sessions.id', 'in', found)
    .orderBy('chat_sessions.created_at', 'desc')
    .orderBy('chat_sessions.id', 'desc')
    .execute()
}

/** Characters of a question that a list shows. */
const shownOfQuestion = 200

const questionOfRow = sql<string | null>`(
  select substr(asked.content, 1, ${sql.lit(shownOfQuestion)}) from chat_messages as asked
  where asked.session_id = chat_sessions.id and asked.role = 'user'
  order by asked.seq limit 1
)`

const ratingOfRow = sql<number | null>`(
  select feedback.rating from chat_feedback as feedback
  where feedback.session_id = chat_sessions.id
  order by feedback.updated_at desc, feedback.message_id desc limit 1
)`

export function findConversation(reader: Reader, workspaceId: string, sessionId: string) {
  return conversations(reader, workspaceId)
    .where('chat_sessions.id', '=', sessionId)
    .executeTakeFirst()
}

export function findSummaryRow(reader: Reader, sessionId: string) {
  return reader
    .selectFrom('session_summaries')
    .select(['content', 'covers_seq', 'model', 'prompt_tokens', 'completion_tokens'])
    .select(['cost_micros', 'created_at'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
}

/** The ratings of some answers of a conversation. */
export function listFeedbackRows(reader: Reader, sessionId: string, messageIds: readonly string[]) {
  return reader
    .selectFrom('chat_feedback')
    .select(['message_id', 'rating', 'comment'])
    .where('session_id', '=', sessionId)
    .where('message_id', 'in', messageIds)
    .execute()
}

/** The contents of a page of messages have at most this size, or it has one message. */
const maxPageBytes = 1024 * 1024

/** How many messages a page can have. */
export async function countFitting(
  reader: Reader,
  sessionId: string,
  page: { limit: number; after: number },
): Promise<number> {
  const rows = await reader
    .selectFrom('chat_messages')
    .select(sql<number>`octet_length(content) + coalesce(octet_length(reasoning), 0)`.as('bytes'))
    .where('session_id', '=', sessionId)
    .where('seq', '>', page.after)
    .orderBy('seq')
    .limit(page.limit)
    .execute()
  let bytes = 0
  const tooLong = rows.findIndex((row) => (bytes += row.bytes) > maxPageBytes)
  return tooLong === -1 ? page.limit : Math.max(1, tooLong)
}

/** Oldest first. The caller must have checked that the conversation belongs to the workspace. */
export function listMessageRows(
  reader: Reader,
  sessionId: string,
  page: { limit: number; after: number },
) {
  return (
    reader
      .selectFrom('chat_messages as message')
      .select([
        'session_id',
        'seq',
        'id',
        'role',
        'content',
        'model',
        'prompt_tokens',
        'completion_tokens',
        'cached_tokens',
        'latency_ms',
        'first_token_ms',
        'finish_reason',
        'error_code',
        'citations_json',
        'reasoning',
        'correlation_id',
        'created_at',
      ])
      // The parts may be megabytes of images; a transcript shows only whether there are any.
      .select((e) => e.case().when('parts_json', 'is', null).then(0).else(1).end().as('has_parts'))
      .select([shortCalls.as('calls_json'), hasCalls.as('has_calls')])
      .where('session_id', '=', sessionId)
      .where('seq', '>', page.after)
      .orderBy('seq')
      .limit(page.limit)
      .execute()
  )
}

export type MessageRow = Awaited<ReturnType<typeof listMessageRows>>[number]
