import type { Reader, Tx } from '#platform/db/database.ts'
import type { ResponseRow } from './response-store.ts'

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

interface Begun {
  readonly sessionId: string
  readonly messageId: string
  readonly firstSeq: number
}

/** A step. @returns false when the response was cancelled or deleted */
export async function beginRun(
  tx: Tx,
  id: string,
  { sessionId, messageId, firstSeq }: Begun,
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
    .executeTakeFirst()
  await tx
    .updateTable('response_runs')
    .set({ session_id: sessionId })
    .where('response_id', '=', id)
    .execute()
  return numUpdatedRows > 0n
}

/**
 * A step: deletes the request of an ended or cancelled run.
 *
 * @returns false if it had ended before
 */
export async function endRun(
  tx: Tx,
  id: string,
  status: 'ended' | 'cancelled',
  errorCode: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('chat_responses')
    .set({ status, error_code: errorCode })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  await deleteRun(tx, id)
  return numUpdatedRows > 0n
}

export async function deleteRun(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('response_runs').where('response_id', '=', id).execute()
}

export async function deleteTexts(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('response_texts').where('response_id', '=', id).execute()
}

export async function isRunning(reader: Reader, id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('chat_responses')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.status === 'running'
}

export interface TextRow {
  readonly n: number
  readonly message_id: string
  readonly content: string
}

export async function insertText(
  tx: Tx,
  row: TextRow & { readonly response_id: string; readonly session_id: string },
): Promise<void> {
  await tx.insertInto('response_texts').values(row).execute()
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
    .select(['n', 'message_id', 'content'])
    .where('response_id', '=', id)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute()
}

export async function countTexts(reader: Reader, id: string): Promise<number> {
  const row = await reader
    .selectFrom('response_texts')
    .select(({ fn }) => fn.max('n').as('last'))
    .where('response_id', '=', id)
    .executeTakeFirst()
  return row?.last === null || row?.last === undefined ? 0 : Number(row.last) + 1
}
