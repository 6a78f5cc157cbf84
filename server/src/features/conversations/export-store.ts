import type { Reader } from '#platform/db/database.ts'

export interface ExportRange {
  readonly workspaceId: string
  readonly agentId: string
  readonly from?: number | undefined
  readonly to: number
}

/** The last message that was exported. */
export interface ExportKey {
  readonly begunAt: number
  readonly sessionId: string
  readonly seq: number
}

export type ExportedRow = Awaited<ReturnType<typeof listExportedMessages>>[number]

/** Oldest conversation first, each from its beginning. */
export async function listExportedMessages(
  reader: Reader,
  { from, to, ...place }: ExportRange,
  after: ExportKey | null,
  limit: number,
) {
  let query = messagesOf(reader, place).where('session.created_at', '<', to).limit(limit)
  if (from !== undefined) query = query.where('session.created_at', '>=', from)
  if (after === null) return await query.execute()
  const { begunAt, sessionId, seq } = after
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

function messagesOf(
  reader: Reader,
  { workspaceId, agentId }: Pick<ExportRange, 'workspaceId' | 'agentId'>,
) {
  return reader
    .selectFrom('chat_sessions as session')
    .innerJoin('chat_messages as message', 'message.session_id', 'session.id')
    .leftJoin('chat_feedback as feedback', 'feedback.message_id', 'message.id')
    .select([
      'session.id as session_id',
      'session.created_at as begun_at',
      'session.source',
      'session.end_user',
      'message.seq',
      'message.id',
      'message.created_at',
      'message.role',
      'message.content',
      'message.model',
      'message.prompt_tokens',
      'message.completion_tokens',
      'message.latency_ms',
      'message.first_token_ms',
      'message.finish_reason',
      'message.error_code',
      'feedback.rating',
      'feedback.comment',
    ])
    .where('session.agent_id', '=', agentId)
    .where('session.workspace_id', '=', workspaceId)
    .orderBy('session.created_at')
    .orderBy('session.id')
    .orderBy('message.seq')
}
