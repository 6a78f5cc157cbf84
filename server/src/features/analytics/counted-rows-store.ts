import { sql, type RawBuilder } from 'kysely'
import type { TimeWanted } from '#features/conversations/index.ts'
import type { Engine, Reader } from '#platform/db/database.ts'
import { isUnpriced } from './unpriced-store.ts'

/** Which rows are read, in time order. */
interface RowsWanted extends TimeWanted {
  readonly agentId?: string
  readonly sessionIds?: readonly string[]
  /** Only messages from this number on. */
  readonly firstSeq?: number
  /** Only these calls, or stored responses. */
  readonly ids?: readonly string[]
}

/** What a stored message adds to the list of questions and to the usage of its workspace. */
export interface StoredMessage {
  readonly agent_id: string
  readonly source: string
  readonly session_id: string
  readonly seq: number
  readonly created_at: number
  /** The beginning of a user message that the session began with; null for other messages. */
  readonly opening: string | null
  /** Of its content, parts and citations. */
  readonly bytes: number
}

export interface MessageToCount extends StoredMessage {
  readonly id: string
  readonly end_user: string | null
  readonly role: string
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly latency_ms: number | null
  readonly first_token_ms: number | null
  readonly error_code: string | null
  readonly unanswered: number
  /** 1 for an answer of a model without a price. */
  readonly unpriced: number
  /** The ids of the cited sources, joined by commas. */
  readonly cited: string | null
}

/** How much of a question is read: enough for the part that is kept. */
const openingCharacters = 400

const opening = sql<string | null>`
  case when message.role = 'user' and message.created_at = session.created_at
    then substr(message.content, 1, ${sql.lit(openingCharacters)}) end`

/** A conversation that is being deleted does not name its agent any more. */
const agentOf = sql<string>`coalesce(hidden.agent_id, session.agent_id)`

const withHidden = sql`left join deleted_sessions as hidden on hidden.id = session.id`

/** Messages of some conversations, in no order. */
export async function readStored(
  reader: Reader,
  {
    sessionIds,
    firstSeq,
  }: Pick<RowsWanted, 'firstSeq'> & { readonly sessionIds: readonly string[] },
) {
  const { rows } = await sql<StoredMessage>`
    select ${agentOf} as agent_id, session.source, message.session_id, message.seq,
      message.created_at, ${opening} as opening, ${messageBytes} as bytes
    from chat_sessions as session join chat_messages as message on message.session_id = session.id
    ${withHidden}
    where session.id in (${sql.join([...sessionIds])}) ${fromSeq(firstSeq)}
  `.execute(reader)
  return rows
}

/**
 * Messages with the columns that are counted. Empty citations mean that the search found no passage:
 * the answer counts as unanswered, unless an action was called, whose result was the answer.
 */
export async function readMessages(reader: Reader, engine: Engine, wanted: RowsWanted) {
  const { rows } = await sql<MessageToCount>`
    select message.id, ${agentOf} as agent_id, session.source, session.end_user, message.session_id,
      message.seq, message.role, message.created_at,
      ${opening} as opening,
      message.prompt_tokens, message.completion_tokens, message.latency_ms,
      message.first_token_ms, message.error_code,
      case when message.citations_json = '[]' and message.error_code is null and not exists (
        select 1 from action_calls as call
        where call.session_id = message.session_id and call.message_id = message.id
      ) then 1 else 0 end as unanswered,
      case when message.role = 'assistant' and ${isUnpriced(engine, 'message')} then 1 else 0 end as unpriced,
      ${citedSources(engine)} as cited, ${messageBytes} as bytes
    from chat_messages as message
    ${messagesFirst(engine)} chat_sessions as session on session.id = message.session_id
    ${withHidden}
    where message.created_at >= ${wanted.since} and message.created_at < ${wanted.until}
      ${narrowed(wanted, agentOf, 'message.session_id')} ${fromSeq(wanted.firstSeq)}
    order by message.created_at
    ${limited(wanted)}
  `.execute(reader)
  return rows
}

/** The bytes that a `message` row stores. Neither engine reads the texts for it. */
export const messageBytes = sql<number>`octet_length(message.content)
  + coalesce(octet_length(message.parts_json), 0)
  + coalesce(octet_length(message.calls_json), 0)
  + coalesce(octet_length(message.citations_json), 0)
  + coalesce(octet_length(message.reasoning), 0)`

/** Without statistics SQLite would start from all sessions of the agent. */
function messagesFirst(engine: Engine): RawBuilder<unknown> {
  return engine === 'postgres' ? sql`join` : sql`cross join`
}

function citedSources(engine: Engine): RawBuilder<string | null> {
  return engine === 'postgres'
    ? sql`case when message.citations_json is not null then (
        select string_agg(distinct cited ->> 'source_id', ',')
        from json_array_elements(message.citations_json::json) as cited
      ) end`
    : sql`case when message.citations_json is not null then (
        select group_concat(distinct cited.value ->> 'source_id')
        from json_each(message.citations_json) as cited
      ) end`
}

export interface RequestToCount {
  readonly agent_id: string
  readonly created_at: number
  readonly bytes: number
}

/** What stored responses repeat of their requests, which takes space like messages. */
export async function readRequests(reader: Reader, wanted: RowsWanted) {
  const { rows } = await sql<RequestToCount>`
    select response.agent_id, response.created_at, octet_length(response.request_json) as bytes
    from chat_responses as response
    where response.created_at >= ${wanted.since} and response.created_at < ${wanted.until}
      ${narrowed(wanted, sql.ref('response.agent_id'), 'response.session_id')}
      ${withIds(wanted, 'response.id')}
    order by response.created_at
    ${limited(wanted)}
  `.execute(reader)
  return rows
}

export interface CallToCount {
  readonly agent_id: string
  readonly source: string
  readonly created_at: number
  readonly status: string
  /** Of its arguments, its error and the stored part of its response. */
  readonly bytes: number
}

/** The bytes that a `call` row stores. */
export const callBytes = sql<number>`octet_length(call.arguments_json)
  + coalesce(octet_length(call.provider_json), 0)
  + coalesce(octet_length(call.error), 0)
  + coalesce(octet_length(call.response_excerpt), 0)`

/** Calls of actions, timed by their end. */
export async function readCalls(reader: Reader, wanted: RowsWanted) {
  const { rows } = await sql<CallToCount>`
    select call.agent_id, coalesce(session.source, '') as source,
      call.finished_at as created_at, call.status, ${callBytes} as bytes
    from action_calls as call
    left join chat_sessions as session on session.id = call.session_id
    where call.finished_at is not null
      and call.finished_at >= ${wanted.since} and call.finished_at < ${wanted.until}
      ${narrowed(wanted, sql.ref('call.agent_id'), 'call.session_id')} ${withIds(wanted, 'call.id')}
    order by call.finished_at
    ${limited(wanted)}
  `.execute(reader)
  return rows
}

export interface CostToCount {
  readonly agent_id: string
  readonly source: string
  readonly created_at: number
  readonly cost_micros: number
  /** The model that answered a turn; null for other costs, and for a turn without an answer. */
  readonly model: string | null
  /** 1 for a model without a price. */
  readonly unpriced: number
}

/** The costs of agents, from the ledger; by workspace, because its index begins with that. */
export async function readCosts(reader: Reader, engine: Engine, wanted: RowsWanted) {
  const { rows } = await sql<CostToCount>`
    select entry.agent_id, coalesce(session.source, entry.channel, '') as source, entry.created_at,
      -entry.amount_micros as cost_micros,
      case when entry.kind = 'turn' and entry.completion_tokens > 0 then entry.model end as model,
      case when entry.kind = 'turn' and ${isUnpriced(engine, 'entry')} then 1 else 0 end as unpriced
    from ${wanted.agentId === undefined ? sql`workspaces as place` : placeOf(wanted.agentId)}
    join credit_entries as entry on entry.workspace_id = place.id
      and substr(entry.workspace_id, 30) = substr(place.id, 30)
    left join chat_sessions as session on session.id = entry.session_id
    where entry.created_at >= ${wanted.since} and entry.created_at < ${wanted.until}
      and entry.kind in ('turn', 'embedding', 'action', 'summary') and entry.agent_id is not null
      ${narrowed(wanted, sql.ref('entry.agent_id'), 'entry.session_id')}
    order by entry.created_at
    ${limited(wanted)}
  `.execute(reader)
  return rows
}

function placeOf(agentId: string): RawBuilder<unknown> {
  return sql`(select workspace_id as id from agents where agents.id = ${agentId}) as place`
}

function narrowed(
  { agentId, sessionIds }: RowsWanted,
  agent: RawBuilder<unknown>,
  sessionColumn: string,
): RawBuilder<unknown> {
  const ofAgent = agentId === undefined ? sql`` : sql`and ${agent} = ${agentId}`
  const ofSessions =
    sessionIds === undefined
      ? sql``
      : sql`and ${sql.ref(sessionColumn)} in (${sql.join([...sessionIds])})`
  return sql`${ofAgent} ${ofSessions}`
}

function fromSeq(firstSeq: number | undefined): RawBuilder<unknown> {
  return firstSeq === undefined ? sql`` : sql`and message.seq >= ${firstSeq}`
}

function withIds({ ids }: RowsWanted, column: string): RawBuilder<unknown> {
  return ids === undefined ? sql`` : sql`and ${sql.ref(column)} in (${sql.join([...ids])})`
}

function limited({ limit }: RowsWanted): RawBuilder<unknown> {
  return limit === undefined ? sql`` : sql`limit ${limit}`
}

/** The bytes of the calls of a session that ended before this time, with its agent. */
export async function sumCallBytes(reader: Reader, sessionId: string, until: number) {
  const { rows } = await sql<{ agent_id: string; bytes: number | string }>`
    select call.agent_id, sum(${callBytes}) as bytes
    from action_calls as call
    where call.session_id = ${sessionId} and call.finished_at < ${until}
    group by call.agent_id
  `.execute(reader)
  return new Map(rows.map(({ agent_id: agentId, bytes }) => [agentId, Number(bytes)]))
}

/** When a message was stored. */
export async function findMoment(
  reader: Reader,
  sessionId: string,
  messageId: string,
): Promise<number | undefined> {
  const row = await reader
    .selectFrom('chat_messages')
    .select('created_at')
    .where('session_id', '=', sessionId)
    .where('id', '=', messageId)
    .executeTakeFirst()
  return row?.created_at
}

/** When the oldest counted row was created; null if there is none. Scans the whole ledger. */
export async function findOldestMoment(reader: Reader): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select min(at) as at from (
      select min(created_at) as at from chat_messages
      union all select min(finished_at) from action_calls where finished_at is not null
      union all select min(created_at) from credit_entries
      union all select min(created_at) from chat_responses
    ) as oldest
  `.execute(reader)
  return rows[0]?.at ?? null
}
