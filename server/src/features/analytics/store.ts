import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** An agent of a workspace from one moment (inclusive) to another (exclusive): epoch milliseconds. */
export interface CountedRange {
  readonly workspaceId: string
  readonly agentId: string
  readonly since: number
  readonly until: number
}

export interface SessionCountRow {
  readonly day: number
  readonly sessions: number
}

export interface MessageCountRow {
  readonly day: number
  readonly messages: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly errors: number
}

/** Days are counted from the epoch in UTC; both engines divide integers to integers. */
export async function countSessions(
  reader: Reader,
  { workspaceId, agentId, since, until }: CountedRange,
): Promise<readonly SessionCountRow[]> {
  const { rows } = await sql<SessionCountRow>`
    select created_at / 86400000 as day, count(*) as sessions
    from chat_sessions
    where workspace_id = ${workspaceId} and agent_id = ${agentId}
      and created_at >= ${since} and created_at < ${until}
    group by created_at / 86400000
  `.execute(reader)
  return rows
}

/** The sums are cast because PostgreSQL adds int8 up to numeric, which is read as text. */
export async function countMessages(
  reader: Reader,
  { workspaceId, agentId, since, until }: CountedRange,
): Promise<readonly MessageCountRow[]> {
  const { rows } = await sql<MessageCountRow>`
    select
      message.created_at / 86400000 as day,
      count(*) as messages,
      cast(coalesce(sum(message.prompt_tokens), 0) as bigint) as prompt_tokens,
      cast(coalesce(sum(message.completion_tokens), 0) as bigint) as completion_tokens,
      cast(sum(case when message.error_code is null then 0 else 1 end) as bigint) as errors
    from chat_sessions as session
    join chat_messages as message on message.session_id = session.id
    where session.workspace_id = ${workspaceId} and session.agent_id = ${agentId}
      and session.created_at < ${until} and session.last_message_at >= ${since}
      and message.created_at >= ${since} and message.created_at < ${until}
    group by message.created_at / 86400000
  `.execute(reader)
  return rows
}
