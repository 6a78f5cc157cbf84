import { sql } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Reader } from '#platform/db/database.ts'
import {
  hasCalls,
  hasCitations,
  hasParts,
  shortCalls,
  shortCitations,
  shortContent,
} from './message-content-store.ts'

export interface ExportRange {
  readonly workspaceId: string
  readonly agentId: string
  /** Conversations begun at this time or later. */
  readonly from?: number | undefined
  /** Conversations begun before this time. */
  readonly to?: number | undefined
  readonly endUser?: string | undefined
  /** Messages stored after this time are left out. */
  readonly storedUntil: number
  /** Whether the citations of answers are read, too. */
  readonly withCitations: boolean
}

export type ExportedRow = Awaited<ReturnType<typeof listExportedMessages>>[number]

/**
 * Oldest conversation first, each from its beginning.
 *
 * @param after the last message of the page before
 */
export async function listExportedMessages(
  reader: Reader,
  { workspaceId, agentId, from, to, endUser, storedUntil, withCitations }: ExportRange,
  after: { begun_at: number; session_id: string; seq: number } | null,
  limit: number,
) {
  let query = exportedMessages(reader, withCitations)
    .where('session.agent_id', '=', agentId)
    .where(sql`substr(session.agent_id, 30)`, '=', lastDigits(agentId))
    .where('session.workspace_id', '=', workspaceId)
    .where('session.created_at', '<=', storedUntil)
    .where('message.created_at', '<=', storedUntil)
    .orderBy('session.created_at')
    .orderBy('session.id')
    .orderBy('message.seq')
    .limit(limit)
  if (from !== undefined) query = query.where('session.created_at', '>=', from)
  if (to !== undefined) query = query.where('session.created_at', '<', to)
  if (endUser !== undefined) query = query.where('session.end_user', '=', endUser)
  if (after === null) return await query.execute()
  const { begun_at: begunAt, session_id: sessionId, seq } = after
  return await query
    // Redundant, but lets both engines start from the index of sessions.
    .where('session.created_at', '>=', begunAt)
    .where((e) =>
      e(
        e.refTuple('session.created_at', 'session.id', 'message.seq'),
        '>',
        e.tuple(begunAt, sessionId, seq),
      ),
    )
    .execute()
}

const noCitations = sql<string | null>`cast(null as text)`

function exportedMessages(reader: Reader, withCitations: boolean) {
  return reader
    .selectFrom('chat_sessions as session')
    .innerJoin('chat_messages as message', 'message.session_id', 'session.id')
    .leftJoin('chat_feedback as feedback', 'feedback.message_id', 'message.id')
    .leftJoin('session_summaries as summary', (join) =>
      join
        .onRef('summary.session_id', '=', 'message.session_id')
        // That of a branch can cover none of its messages.
        .on(
          sql`case summary.covers_seq when 0 then 1 else summary.covers_seq end`,
          '=',
          sql.ref('message.seq'),
        ),
    )
    .select([
      'session.id as session_id',
      'session.created_at as begun_at',
      'session.source',
      'session.end_user',
      'message.seq',
      'message.id as message_id',
      'message.created_at',
      'message.role',
      'message.model',
      'message.prompt_tokens',
      'message.completion_tokens',
      'message.latency_ms',
      'message.first_token_ms',
      'message.finish_reason',
      'message.error_code',
      'message.reasoning',
      'feedback.rating',
      'feedback.comment',
      'summary.content as summary',
    ])
    .select([shortContent.as('content'), shortCalls.as('calls_json'), hasCalls.as('has_calls')])
    .select([
      (withCitations ? shortCitations : noCitations).as('citations_json'),
      hasCitations.as('has_citations'),
    ])
    .select(hasParts.as('has_parts'))
}
