import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Place, ResponseRow } from './response-store.ts'

/** What a background response needs besides its row: the request, and what it has streamed. */

export async function insertRun(
  tx: Tx,
  response: ResponseRow & { readonly id: string },
  inputJson: string,
): Promise<void> {
  const { id, workspace_id, agent_id, session_id, created_at } = response
  await tx
    .insertInto('response_runs')
    .values({
      response_id: id,
      workspace_id,
      agent_id,
      session_id,
      input_json: inputJson,
      created_at,
    })
    .execute()
}

export async function countRuns(tx: Tx, agentId: string): Promise<number> {
  const row = await tx
    .selectFrom('response_runs')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export function findRun(reader: Reader, id: string) {
  return reader
    .selectFrom('response_runs as run')
    .innerJoin('chat_responses as response', 'response.id', 'run.response_id')
    .selectAll('response')
    .select(['run.input_json'])
    .where('run.response_id', '=', id)
    .executeTakeFirst()
}

/** Whether a session has messages after one of them, besides answers that failed before their first text. */
export async function hasLaterMessages(
  reader: Reader,
  sessionId: string,
  seq: number,
): Promise<boolean> {
  const found = await reader
    .selectFrom('chat_messages')
    .select('seq')
    .where('session_id', '=', sessionId)
    .where('seq', '>', seq)
    .where((row) => row.or([row('error_code', 'is', null), row('content', '<>', '')]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

interface Begun {
  readonly sessionId: string
  readonly messageId: string
  readonly firstSeq: number
  /** The answer of the attempt before; null for none. */
  readonly before: string | null
  /** What a further attempt needs of the request, whose messages are stored in the session by now. */
  readonly rest: (lastSeq: number) => string
}

/**
 * A step of the unit that stores the messages of the request.
 *
 * @returns false when the response was cancelled or deleted, or another attempt has begun
 */
export async function beginRun(
  tx: Tx,
  id: string,
  { sessionId, messageId, firstSeq, before, rest }: Begun,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('chat_responses')
    .set({
      status: 'running',
      session_id: sessionId,
      message_id: messageId,
      first_seq: firstSeq,
    })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .where(isAnswer(before))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const { message_count: lastSeq } = await tx
    .selectFrom('chat_sessions')
    .select('message_count')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('response_runs')
    .set({ session_id: sessionId, input_json: rest(lastSeq) })
    .where('response_id', '=', id)
    .execute()
  return true
}

interface Ended {
  readonly status: 'ended' | 'cancelled'
  readonly errorCode: string | null
  /** The answer of the attempt that ends it; absent to end any attempt. */
  readonly messageId?: string | null
}

/**
 * A step: deletes the request of an ended or cancelled run.
 *
 * @returns false if it had ended before, or another attempt has begun
 */
export async function endRun(
  tx: Tx,
  id: string,
  { status, errorCode, messageId }: Ended,
): Promise<boolean> {
  let query = tx
    .updateTable('chat_responses')
    .set({ status, error_code: errorCode })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
  if (messageId !== undefined) query = query.where(isAnswer(messageId))
  const { numUpdatedRows } = await query.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await deleteRun(tx, id)
  return true
}

function isAnswer(messageId: string | null) {
  return messageId === null
    ? sql<boolean>`message_id is null`
    : sql<boolean>`message_id = ${messageId}`
}

export async function deleteRun(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('response_runs').where('response_id', '=', id).execute()
}

export async function deleteTexts(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('response_texts').where('response_id', '=', id).execute()
}

/** Whether the attempt that writes this answer is the response's current one. */
export async function isRunning(reader: Reader, id: string, messageId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('chat_responses')
    .select(['status', 'message_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.status === 'running' && row.message_id === messageId
}

/** How far a response is. Streams read it several times a second, so it holds nothing large. */
export function findProgress(reader: Reader, { workspaceId, agentId }: Place, id: string) {
  return reader
    .selectFrom('chat_responses')
    .select(['status', 'message_id', 'session_id'])
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst()
}

export interface TextRow {
  readonly n: number
  readonly message_id: string
  readonly content: string
  /** In place of the content: how the model refuses. */
  readonly refusal: string | null
  /** In place of the content: what the model thought. */
  readonly reasoning: string | null
}

/** A step: stores a text after those that the response has. */
export async function insertText(
  tx: Tx,
  row: Omit<TextRow, 'n'> & { readonly response_id: string; readonly session_id: string },
): Promise<void> {
  const n = sql<number>`(select coalesce(max(n) + 1, 0) from response_texts
    where response_id = ${row.response_id})`
  await tx
    .insertInto('response_texts')
    .values({ ...row, n })
    .execute()
}

/** What a response has streamed after its `n`th text, in order. */
export async function listTexts(
  reader: Reader,
  id: string,
  after: number,
  limit: number,
): Promise<readonly TextRow[]> {
  return await reader
    .selectFrom('response_texts')
    .select(['n', 'message_id', 'content', 'refusal', 'reasoning'])
    .where('response_id', '=', id)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute()
}
