import { sql } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Reader } from '#platform/db/database.ts'
import { testChannel } from './channels.ts'

export interface UnansweredRow {
  readonly session_id: string
  readonly asked_at: number
  /** The beginning of the user's message; null if it was deleted. */
  readonly question: string | null
}

/** Conversations that are looked at, latest first. */
const sessionsRead = 500

/** How much of a question is read. */
const questionCharacters = 400

/**
 * The questions to which an agent's knowledge had no answer (`chat_sessions.facts`, bit 2), in its
 * latest conversations that have one; latest asked first.
 */
export async function readUnanswered(
  reader: Reader,
  agentId: string,
  since: number,
  includeTests: boolean,
): Promise<readonly UnansweredRow[]> {
  const { rows } = await sql<UnansweredRow>`
    select answer.session_id, answer.created_at as asked_at, (
      select substr(asked.content, 1, ${sql.lit(questionCharacters)}) from chat_messages as asked
      where asked.session_id = answer.session_id and asked.role = 'user' and asked.seq < answer.seq
      order by asked.seq desc limit 1
    ) as question
    from (
      select id from chat_sessions
      where agent_id = ${agentId} and substr(agent_id, 30) = ${lastDigits(agentId)}
        and created_at >= ${since} and facts & 2 <> 0
        ${includeTests ? sql`` : sql`and source <> ${sql.lit(testChannel)}`}
      order by created_at desc, id desc limit ${sql.lit(sessionsRead)}
    ) as session
    join chat_messages as answer on answer.session_id = session.id
    where answer.role = 'assistant' and answer.citations_json = '[]' and answer.error_code is null
      and not exists (
        select 1 from action_calls as call
        where call.session_id = answer.session_id and call.message_id = answer.id
      )
    order by answer.created_at desc
  `.execute(reader)
  return rows
}

/** The questions that answers of the agent's editors are for. */
export async function listAnswered(
  reader: Reader,
  agentId: string,
): Promise<readonly { readonly title: string; readonly updated_at: number }[]> {
  return await reader
    .selectFrom('knowledge_sources')
    .select(['title', 'updated_at'])
    .where('agent_id', '=', agentId)
    .where('is_answer', '=', sql.lit(1))
    .orderBy('updated_at', 'desc')
    .execute()
}
