import { sql, type Insertable, type Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export type CallRow = Selectable<Schema['action_calls']>
export type NewCallRow = Insertable<Schema['action_calls']>

export async function insertCalls(tx: Tx, rows: readonly NewCallRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('action_calls').values(rows).execute()
}

export type CallEnd = Pick<
  CallRow,
  | 'status'
  | 'http_status'
  | 'error_code'
  | 'error'
  | 'duration_ms'
  | 'response_excerpt'
  | 'finished_at'
>

export async function finishCall(tx: Tx, callId: string, end: CallEnd): Promise<void> {
  await tx.updateTable('action_calls').set(end).where('id', '=', callId).execute()
}

export type AwaitingRow = CallRow & { readonly was_asked: number }

/**
 * The calls of a session that wait for its next message. `was_asked` marks those whose question ends
 * the agent's last, complete answer: the user must not confirm a question by chance that was never shown.
 */
export function listAwaiting(reader: Reader, sessionId: string): Promise<AwaitingRow[]> {
  return (
    reader
      .selectFrom('action_calls as call')
      .selectAll('call')
      .select(
        sql<number>`case when exists (
          select 1 from chat_messages as asking
          where asking.session_id = call.session_id and asking.id = call.message_id
            and asking.error_code is null
            and not exists (
              select 1 from chat_messages as later
              where later.session_id = call.session_id and later.role = 'assistant'
                and later.seq > asking.seq
            )
        ) then 1 else 0 end`.as('was_asked'),
      )
      .where('call.session_id', '=', sessionId)
      // A literal, so that both engines use the partial index.
      .where(sql<boolean>`call.status = 'awaiting_confirmation'`)
      .orderBy('call.id')
      .execute()
  )
}

/** @returns false when another turn has claimed the call */
export async function takeAwaiting(
  tx: Tx,
  callId: string,
  next: Pick<CallRow, 'status' | 'deadline_at' | 'finished_at'>,
): Promise<boolean> {
  const updated = await tx
    .updateTable('action_calls')
    .set(next)
    .where('id', '=', callId)
    .where('status', '=', 'awaiting_confirmation')
    .executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** A step: declines the calls that wait, those of one answer or all. */
export async function declineCalls(
  tx: Tx,
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string | null },
  now: number,
): Promise<void> {
  const waiting = tx
    .updateTable('action_calls')
    .set({ status: 'declined', deadline_at: null, finished_at: now })
    .where('session_id', '=', sessionId)
    // A literal, so that both engines use the partial index.
    .where(sql<boolean>`status = 'awaiting_confirmation'`)
  await (messageId === null ? waiting : waiting.where('message_id', '=', messageId)).execute()
}

export function listCallsOfMessages(
  reader: Reader,
  { sessionIds, messageIds }: AnswersOfPage,
): Promise<CallRow[]> {
  return reader
    .selectFrom('action_calls')
    .selectAll()
    .where('session_id', 'in', sessionIds)
    .where('message_id', 'in', messageIds)
    .orderBy('id')
    .execute()
}

/** Of each answer of a page that has calls, the bytes of what may be long in them. */
export function listCallSizes(
  reader: Reader,
  { sessionIds, messageIds }: AnswersOfPage,
): Promise<{ message_id: string; bytes: number }[]> {
  return reader
    .selectFrom('action_calls')
    .select('message_id')
    .select(
      sql<number>`cast(sum(octet_length(arguments_json)
        + coalesce(octet_length(response_excerpt), 0)) as bigint)`.as('bytes'),
    )
    .where('session_id', 'in', sessionIds)
    .where('message_id', 'in', messageIds)
    .groupBy('message_id')
    .execute()
}

export interface AnswersOfPage {
  readonly sessionIds: readonly string[]
  readonly messageIds: readonly string[]
}

/** A step: deletes the calls that were made for some messages of a session. */
export async function deleteMessageCalls(
  tx: Tx,
  sessionId: string,
  messageIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('action_calls')
    .where('session_id', '=', sessionId)
    .where('message_id', 'in', messageIds)
    .execute()
}

/** A step: deletes the calls of sessions. @returns the number deleted */
export async function deleteSessionCalls(tx: Tx, sessionIds: readonly string[]): Promise<number> {
  const deleted = await tx
    .deleteFrom('action_calls')
    .where('session_id', 'in', sessionIds)
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
