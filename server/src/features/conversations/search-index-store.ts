import { sql, type RawBuilder } from 'kysely'
import type { Engine, Reader } from '#platform/db/database.ts'
import { shortContent } from './message-content-store.ts'
import type { TimeWanted } from './pages-of.ts'
import { arrayOf, numbersOf, type Wanted } from './term-numbers.ts'

/** A message as the index needs it. */
export interface MessageToIndex {
  readonly session_id: string
  /** The agent's number. Each agent has terms of its own. */
  readonly number: number
  readonly seq: number
  /** Null when it is long: see readContent. */
  readonly content: string | null
  readonly created_at: number
}

interface MessagesWanted extends TimeWanted {
  readonly agentId?: string
  readonly sessionId?: string
}

/** Messages of users and agents, without instructions and tool results. */
export async function readMessagesToIndex(
  reader: Reader,
  { since, until, limit, agentId, sessionId }: MessagesWanted,
): Promise<readonly MessageToIndex[]> {
  let query = reader
    .selectFrom('chat_messages as message')
    // SQLite keeps the order of a cross join; otherwise it would start with all of the agent's
    // sessions.
    .crossJoin('chat_sessions as session')
    .innerJoin('agents as agent', 'agent.id', 'session.agent_id')
    .whereRef('session.id', '=', 'message.session_id')
    .select(['message.session_id', 'message.seq', 'agent.number', 'message.created_at'])
    .select(shortContent.as('content'))
    .where('message.created_at', '>=', since)
    .where('message.created_at', '<', until)
    .where('message.role', 'in', ['user', 'assistant'])
    .orderBy('message.created_at')
  if (agentId !== undefined) query = query.where('session.agent_id', '=', agentId)
  if (sessionId !== undefined) query = query.where('message.session_id', '=', sessionId)
  if (limit !== undefined) query = query.limit(limit)
  return await query.execute()
}

export async function sessionExists(reader: Reader, id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('chat_sessions')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** A term of a search among an agent's conversations. */
export interface SearchedTerm extends Wanted {
  /** The conversations that contain it but are not indexed yet. */
  readonly recentSessionIds: readonly string[]
  /** Whether many conversations contain it: see isCommon. */
  readonly isCommon: boolean
}

/** A list of this many conversations is read in a few milliseconds. */
const mostListed = 5_000

/** Whether more conversations contain a term than are worth listing for a page. */
export async function isCommon(reader: Reader, engine: Engine, wanted: Wanted): Promise<boolean> {
  if (engine === 'postgres')
    return (
      (await isInMany(reader, wanted)) ||
      (await hasMany(reader, sessionsWith(wanted, mostListed + 1)))
    )
  const documents = (match: string) =>
    sql`conversation_index where conversation_index match ${match}`
  // FTS5 reads all words with a beginning before it has the first row, even of one that is common itself.
  if (await hasMany(reader, documents(exactly(wanted)))) return true
  const begun = beginningWith(wanted)
  return begun !== null && (await hasMany(reader, documents(begun)))
}

/** The newest rows, as a sample of all. */
const sampled = 500

/** An estimate: PostgreSQL reads all references to a term before it has the first row. */
async function isInMany(reader: Reader, wanted: Wanted): Promise<boolean> {
  const { rows } = await sql<{ found: number; total: number }>`
    select count(*) as found,
      (select reltuples from pg_class where oid = 'conversation_terms'::regclass) as total
    from (select hashes from conversation_terms order by id desc limit ${sql.lit(sampled)}) as newest
    where hashes && ${arrayOf(numbersOf(wanted))}
  `.execute(reader)
  const { found = 0, total = 0 } = rows[0] ?? {}
  return found > sampled / 20 && (found / sampled) * total > 2 * mostListed
}

async function hasMany(reader: Reader, found: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from (select 1 from ${found} limit ${sql.lit(mostListed + 1)}) as matches
  `.execute(reader)
  return (rows[0]?.found ?? 0) > mostListed
}

/**
 * The condition that a row of `chat_sessions` contains a term. Of a common term, no list is read: a few
 * of the conversations in the order of the page are enough to fill it.
 */
export function containsTerm(engine: Engine, searched: SearchedTerm): RawBuilder<boolean> {
  const recent = JSON.stringify(searched.recentSessionIds)
  if (searched.isCommon) return containsCommon(engine, searched, recent)
  return engine === 'postgres'
    ? sql<boolean>`chat_sessions.id in (
        select * from ${sessionsWith(searched, null)}
        union all select json_array_elements_text(${recent}::json)
      )`
    : sql<boolean>`chat_sessions.id in (
        select document.session_id
        from conversation_index
        join conversation_documents as document on document.id = conversation_index.rowid
        where conversation_index match ${matching(searched)}
        union all select value from json_each(${recent})
      )`
}

/** SQLite keeps the order of a cross join: the conversation's documents, then the word in each of them. */
function containsCommon(engine: Engine, wanted: Wanted, recent: string): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`(chat_sessions.id in (select json_array_elements_text(${recent}::json)) or exists (
        select 1 from conversation_terms as document
        where document.session_id = chat_sessions.id
          and (document.hashes && ${arrayOf(numbersOf(wanted))} or document.terms @> ${textsWanted(wanted)})
      ))`
    : sql<boolean>`(chat_sessions.id in (select value from json_each(${recent})) or exists (
        select 1 from conversation_documents as document
        cross join conversation_index on conversation_index.rowid = document.id
        where document.session_id = chat_sessions.id
          and conversation_index match ${exactly(wanted)}
      ) ${orBegun(wanted)})`
}

/**
 * On SQLite. For each conversation, FTS5 would read all words with the beginning again, so the list of
 * their documents is read, once and only if a conversation does not have the whole word. The plus sign
 * keeps SQLite from beginning with that list.
 */
function orBegun(wanted: Wanted): RawBuilder<unknown> {
  const begun = beginningWith(wanted)
  if (begun === null) return sql``
  return sql`or exists (
    select 1 from conversation_documents as document
    where document.session_id = chat_sessions.id and +document.id in (
      select rowid from conversation_index where conversation_index match ${begun}
    )
  )`
}

/** FTS5's expressions. */
function exactly({ agentNumber, term }: Wanted): string {
  return `"${agentNumber}:${term}"`
}

function beginningWith({ agentNumber, start }: Wanted): string | null {
  return start === null ? null : `"${agentNumber}:${start}" *`
}

function matching(wanted: Wanted): string {
  const begun = beginningWith(wanted)
  return begun === null ? exactly(wanted) : `${exactly(wanted)} OR ${begun}`
}

/** On PostgreSQL: most rows have numbers, and those of an early version have texts. */
function sessionsWith(wanted: Wanted, most: number | null): RawBuilder<unknown> {
  return sql`conversations_with_any(${arrayOf(numbersOf(wanted))},
    ${textsWanted(wanted)}, ${most}::bigint)`
}

function textsWanted({ agentNumber, term }: Wanted): RawBuilder<unknown> {
  return sql`array[${`${agentNumber}:${term}`}::text]`
}
