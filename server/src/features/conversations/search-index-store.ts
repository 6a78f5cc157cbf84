import { crc32 } from 'node:zlib'
import { sql, type RawBuilder } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import { indexedBeginnings } from './begun-word.ts'
import { shortContent } from './message-content-store.ts'
import type { TimeWanted } from './pages-of.ts'

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

export interface ConversationTerms {
  readonly sessionId: string
  readonly agentNumber: number
  readonly terms: readonly string[]
  /** Those of the first message: PostgreSQL's index has their beginnings. */
  readonly opening: readonly string[]
}

/** A step: adds the terms of conversations. */
export async function addDocuments(
  tx: Tx,
  engine: Engine,
  documents: readonly ConversationTerms[],
): Promise<void> {
  for (const document of documents)
    if (engine === 'postgres')
      await sql`
        insert into conversation_terms (session_id, hashes)
        values (${document.sessionId}, ${hashesOf(document)}::integer[])
      `.execute(tx)
    else {
      const { id } = await tx
        .insertInto('conversation_documents')
        .values({ session_id: document.sessionId })
        .returning('id')
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('conversation_index')
        .values({ rowid: id, terms: prefixed(document).join(' ') })
        .execute()
    }
}

/** A step: removes conversations from the index. */
export async function removeDocuments(
  tx: Tx,
  engine: Engine,
  sessionIds: readonly string[],
): Promise<void> {
  if (engine === 'postgres') {
    await tx.deleteFrom('conversation_terms').where('session_id', 'in', sessionIds).execute()
    return
  }
  const own = tx
    .selectFrom('conversation_documents')
    .select('id')
    .where('session_id', 'in', sessionIds)
  await tx.deleteFrom('conversation_index').where('rowid', 'in', own).execute()
  await tx.deleteFrom('conversation_documents').where('session_id', 'in', sessionIds).execute()
}

/** A step: empties the index. */
export async function removeAllDocuments(tx: Tx, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await tx.deleteFrom('conversation_terms').execute()
    return
  }
  await tx.deleteFrom('conversation_index').execute()
  await tx.deleteFrom('conversation_documents').execute()
}

/** A term of a search among an agent's conversations. */
export interface SearchedTerm {
  readonly agentNumber: number
  readonly term: string
  /** Words with this beginning count too: the last word of a search may still be typed. */
  readonly start: string | null
  /** The conversations that contain it but are not indexed yet. */
  readonly recentSessionIds: readonly string[]
  /** Whether many conversations contain it: see isCommon. */
  readonly isCommon: boolean
}

/** A list of this many conversations is read in a few milliseconds. */
const mostListed = 5_000

/** Whether more conversations contain a term than are worth listing for a page. */
export async function isCommon(
  reader: Reader,
  engine: Engine,
  wanted: Omit<SearchedTerm, 'recentSessionIds' | 'isCommon'>,
): Promise<boolean> {
  const found =
    engine === 'postgres'
      ? sql`(${sessionsWith(wanted)}) as both_forms`
      : sql`conversation_index where conversation_index match ${matching(wanted)}`
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
        ${sessionsWith(searched)}
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

type Wanted = Pick<SearchedTerm, 'agentNumber' | 'term' | 'start'>

function containsCommon(engine: Engine, wanted: Wanted, recent: string): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`(chat_sessions.id in (select json_array_elements_text(${recent}::json)) or exists (
        select 1 from conversation_terms as document
        where document.session_id = chat_sessions.id
          and (document.hashes && ${hashesWanted(wanted)} or document.terms @> ${textsWanted(wanted)})
      ))`
    : sql<boolean>`(chat_sessions.id in (select value from json_each(${recent})) or exists (
        select 1 from conversation_documents as document
        join conversation_index on conversation_index.rowid = document.id
        where document.session_id = chat_sessions.id
          and conversation_index match ${matching(wanted)}
      ))`
}

/** FTS5's expression. */
function matching({ agentNumber, term, start }: Wanted): string {
  const exact = `"${agentNumber}:${term}"`
  return start === null ? exact : `${exact} OR "${agentNumber}:${start}" *`
}

/** On PostgreSQL: rows of this version have numbers, and rows of the version before have texts. */
function sessionsWith(wanted: Wanted): RawBuilder<unknown> {
  return sql`
    select session_id from conversation_terms where hashes && ${hashesWanted(wanted)}
    union all
    select session_id from conversation_terms where terms @> ${textsWanted(wanted)}`
}

/** Any of these numbers is enough. */
function hashesWanted({ agentNumber, term, start }: Wanted): RawBuilder<unknown> {
  const known = indexedBeginnings.findLast((length) => length <= (start?.length ?? 0))
  const begun = known === undefined ? [] : [beginning(agentNumber, start?.slice(0, known) ?? '')]
  return sql`${`{${[`${agentNumber}:${term}`, ...begun].map(hashOf).join(',')}}`}::integer[]`
}

function textsWanted({ agentNumber, term }: Wanted): RawBuilder<unknown> {
  return sql`array[${`${agentNumber}:${term}`}::text]`
}

/**
 * Four bytes for a term. A search of an agent whose conversations have 100,000 different words meets a
 * word with the same number once in 43,000 searches.
 */
function hashOf(value: string): number {
  return crc32(value) | 0
}

/**
 * The numbers of the terms, and of the beginnings of the first message's: those of all messages would be
 * four times as many bytes. A word that is its own beginning has one number.
 */
function hashesOf({ agentNumber, terms, opening }: ConversationTerms): string {
  const beginnings = opening.flatMap((term) =>
    indexedBeginnings
      .filter((length) => length < term.length)
      .map((length) => beginning(agentNumber, term.slice(0, length))),
  )
  const values = [...prefixed({ agentNumber, terms }), ...beginnings]
  return `{${[...new Set(values.map(hashOf))].join(',')}}`
}

function beginning(agentNumber: number, start: string): string {
  return `${agentNumber}>${start}`
}

function prefixed({
  agentNumber,
  terms,
}: Pick<ConversationTerms, 'agentNumber' | 'terms'>): string[] {
  return terms.map((term) => `${agentNumber}:${term}`)
}
