import type { Insertable, JoinBuilder } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type ResponseRow = Insertable<Schema['chat_responses']>

/** Where a record is: one agent of a workspace. */
export interface Place {
  readonly workspaceId: string
  readonly agentId: string
}

/** A step: stores a response, unless its session was deleted meanwhile. */
export async function insertResponse(tx: Tx, row: ResponseRow): Promise<void> {
  const session = await tx
    .selectFrom('chat_sessions')
    .select('id')
    .where('id', '=', row.session_id)
    .where('agent_id', '=', row.agent_id)
    .executeTakeFirst()
  if (session !== undefined) await tx.insertInto('chat_responses').values(row).execute()
}

const answerColumns = [
  'answer.seq',
  'answer.content',
  'answer.model',
  'answer.prompt_tokens',
  'answer.completion_tokens',
  'answer.cached_tokens',
  'answer.reasoning_tokens',
  'answer.finish_reason',
  'answer.error_code as answer_error',
  'answer.citations_json',
  'answer.reasoning',
  'answer.calls_json',
  'answer.created_at as answered_at',
] as const

type Joined = Schema & {
  readonly response: Schema['chat_responses']
  readonly session: Schema['chat_sessions']
}

/** A session that is being deleted names no agent any more: its responses are gone. */
const sessionOfResponse = (join: JoinBuilder<Joined, 'response' | 'session'>) =>
  join
    .onRef('session.id', '=', 'response.session_id')
    .onRef('session.agent_id', '=', 'response.agent_id')

/** Responses with their sessions and, if there are any yet, their answers. */
function responses(reader: Reader, { workspaceId, agentId }: Place) {
  return reader
    .selectFrom('chat_responses as response')
    .innerJoin('chat_sessions as session', sessionOfResponse)
    .leftJoin('chat_messages as answer', (join) =>
      join
        .onRef('answer.session_id', '=', 'response.session_id')
        .onRef('answer.id', '=', 'response.message_id')
        .onRef('answer.seq', '>=', 'response.first_seq'),
    )
    .selectAll('response')
    .select(['session.message_count', 'session.lease_token', 'session.lease_until'])
    .select('session.end_user')
    .select(answerColumns)
    .where('response.workspace_id', '=', workspaceId)
    .where('response.agent_id', '=', agentId)
    .where('response.status', '<>', 'deleted')
}

export function findResponseRow(reader: Reader, place: Place, id: string) {
  return responses(reader, place).where('response.id', '=', id).executeTakeFirst()
}

/** The response whose answer has this id. */
export function findResponseOfAnswer(reader: Reader, place: Place, messageId: string) {
  return responses(reader, place).where('response.message_id', '=', messageId).executeTakeFirst()
}

export type FoundResponse = NonNullable<Awaited<ReturnType<typeof findResponseRow>>>

/**
 * A session that a key can name as a conversation. Those of chat pages, widgets and the dashboard belong to
 * other people than the holder of a key.
 */
export function findSession(reader: Reader, { workspaceId, agentId }: Place, id: string) {
  return reader
    .selectFrom('chat_sessions')
    .select(['id', 'end_user', 'created_at', 'message_count'])
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('source', '=', 'api')
    .executeTakeFirst()
}

/** The number of the first message that a later response added to the session. */
export async function findNextFirstSeq(
  reader: Reader,
  sessionId: string,
  firstSeq: number,
): Promise<number | undefined> {
  const row = await reader
    .selectFrom('chat_responses')
    .select('first_seq')
    .where('session_id', '=', sessionId)
    .where('first_seq', '>', firstSeq)
    .orderBy('first_seq')
    .limit(1)
    .executeTakeFirst()
  return row?.first_seq
}

/**
 * A step. The row stays until its session is deleted: it shows which messages the response added. Of its
 * request, it keeps whether the session was named as a conversation.
 *
 * @returns how many bytes fewer the row has
 */
export async function markDeleted(
  tx: Tx,
  { id, request_json: json }: Pick<FoundResponse, 'id' | 'request_json'>,
): Promise<number> {
  // Only this feature writes it, from an object.
  const { conversation } = JSON.parse(json) as { readonly conversation?: unknown }
  const kept = JSON.stringify({ conversation })
  await tx
    .updateTable('chat_responses')
    .set({ status: 'deleted', request_json: kept })
    .where('id', '=', id)
    .execute()
  return Buffer.byteLength(json) - Buffer.byteLength(kept)
}

export function findDeleted(reader: Reader, id: string) {
  return reader
    .selectFrom('chat_responses as response')
    .innerJoin('chat_sessions as session', sessionOfResponse)
    .selectAll('response')
    .select(['session.message_count', 'session.lease_until'])
    .where('response.id', '=', id)
    .where('response.status', '=', 'deleted')
    .executeTakeFirst()
}

export async function hasResponses(reader: Reader, sessionId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('chat_responses')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('status', '<>', 'deleted')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The deleted responses of a session, with the numbers of their first messages and of their last ones:
 * answers, or questions that got none. Null if nothing was stored.
 */
export async function listDeleted(reader: Reader, sessionId: string) {
  const rows = await reader
    .selectFrom('chat_responses as response')
    .leftJoin('chat_messages as answer', (join) =>
      join
        .onRef('answer.session_id', '=', 'response.session_id')
        .onRef('answer.id', '=', 'response.message_id'),
    )
    .select(['response.request_json', 'response.first_seq', 'response.message_id', 'answer.seq'])
    .where('response.session_id', '=', sessionId)
    .where('response.status', '=', 'deleted')
    .orderBy('response.first_seq')
    .execute()
  const found = []
  for (const { request_json, first_seq, message_id, seq } of rows) {
    const inputs = async () => (await listInputs(reader, sessionId, first_seq)).at(-1)?.seq ?? null
    const last = seq ?? (message_id === null ? null : await inputs())
    found.push({ request_json, first_seq, last })
  }
  return found
}

/** The ids of the messages that came with a request, whose first one has this number. */
export async function listInputIds(reader: Reader, sessionId: string, firstSeq: number) {
  return (await listInputs(reader, sessionId, firstSeq)).map(({ id }) => id)
}

/** The messages of a request are stored at once, so they have the same time. */
async function listInputs(reader: Reader, sessionId: string, firstSeq: number) {
  const messages = reader.selectFrom('chat_messages').where('session_id', '=', sessionId)
  return await messages
    .select(['id', 'seq'])
    .where('seq', '>=', firstSeq)
    .where('created_at', '=', messages.select('created_at').where('seq', '=', firstSeq))
    .orderBy('seq')
    .execute()
}
