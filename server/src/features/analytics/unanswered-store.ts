import { sql } from 'kysely'
import { isUnanswered } from '#features/conversations/index.ts'
import { lastDigits } from '#kernel/ids.ts'
import type { Engine, Reader } from '#platform/db/database.ts'
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

/** Whose questions are read. */
interface UnansweredWanted {
  readonly agentId: string
  readonly since: number
  readonly includeTests: boolean
  /** For tests: how many conversations are few. */
  readonly mostOfFew?: number
}

/**
 * The questions to which an agent's knowledge had no answer (`chat_sessions.facts`, bit 2), in its
 * latest conversations that have one; latest asked first.
 */
export async function readUnanswered(
  reader: Reader,
  engine: Engine,
  wanted: UnansweredWanted,
): Promise<readonly UnansweredRow[]> {
  const few = engine === 'postgres' ? await listFew(reader, wanted) : null
  if (few?.length === 0) return []
  const sessions =
    few === null ? newestOf(wanted) : sql`select unnest(${`{${few.join(',')}}`}::text[]) as id`
  const { rows } = await sql<UnansweredRow>`
    select answer.session_id, answer.created_at as asked_at, (
      select substr(asked.content, 1, ${sql.lit(questionCharacters)}) from chat_messages as asked
      where asked.session_id = answer.session_id and asked.role = 'user' and asked.seq < answer.seq
      order by asked.seq desc limit 1
    ) as question
    from (${sessions}) as session
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

/** In the order of time, which reads all of an agent's conversations if few of them match. */
function newestOf({ agentId, since, includeTests }: UnansweredWanted) {
  return sql`
    select id from chat_sessions
    where agent_id = ${agentId} and substr(agent_id, 30) = ${lastDigits(agentId)}
      and created_at >= ${since} and facts & 2 <> 0
      ${includeTests ? sql`` : sql`and source <> ${sql.lit(testChannel)}`}
    order by created_at desc, id desc limit ${sql.lit(sessionsRead)}
  `
}

/** Of an agent with at most so many of these conversations, at any time, all are looked at. */
const defaultMostOfFew = 5_000

interface FoundSession {
  readonly id: string
  readonly created_at: number
}

/**
 * The same conversations on PostgreSQL if an agent has few of them, from the index of kinds: it has neither
 * the time nor the id, but the order of its columns makes PostgreSQL use it.
 *
 * @returns null if there are too many
 */
async function listFew(
  reader: Reader,
  { agentId, since, includeTests, mostOfFew = defaultMostOfFew }: UnansweredWanted,
): Promise<readonly string[] | null> {
  const found: FoundSession[] = []
  // PostgreSQL compares ranges within the index, but not "another one".
  const ranges = includeTests
    ? [sql``]
    : [sql`and source < ${sql.lit(testChannel)}`, sql`and source > ${sql.lit(testChannel)}`]
  for (const range of ranges) {
    const { rows } = await sql<FoundSession>`
      select id, created_at from chat_sessions
      where agent_id = ${agentId} ${range}
        and ${isUnanswered('postgres')}
      order by models, source, facts, size_class limit ${sql.lit(mostOfFew + 1)}
    `.execute(reader)
    found.push(...rows)
    if (found.length > mostOfFew) return null
  }
  return found
    .filter(({ created_at: at }) => at >= since)
    .toSorted((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1))
    .slice(0, sessionsRead)
    .map(({ id }) => id)
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
