import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { Branch } from './session-request.ts'

export type SummaryRow = Selectable<Schema['session_summaries']>

/** What a turn reads of the summary of its session. */
export const summaryOfSession = (db: Kysely<Schema>, given: { session_id: string }) =>
  db
    .selectFrom('session_summaries')
    .select(['covers_seq', 'content'])
    .where('session_id', '=', given.session_id)

export function findSummary(reader: Reader, sessionId: string): Promise<SummaryRow | undefined> {
  return reader
    .selectFrom('session_summaries')
    .selectAll()
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
}

/** A step: stores the summary of a session in place of the one before. */
export async function putSummary(
  tx: Tx,
  row: Insertable<Schema['session_summaries']>,
): Promise<void> {
  const { session_id: _, workspace_id: __, agent_id: ___, ...changed } = row
  await tx
    .insertInto('session_summaries')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(changed))
    .execute()
}

/**
 * A step: deletes the summary of a session if it covers one of these messages, and with it those of all
 * branches of the same conversation, which may have been made from it. That of the conversation itself never
 * is: its messages are all there, and a branch adds none.
 */
export async function deleteSummaryOf(
  tx: Tx,
  sessionId: string,
  messageIds: readonly string[],
): Promise<void> {
  const deleted = await tx
    .deleteFrom('session_summaries')
    .where('session_id', '=', sessionId)
    .where('covers_seq', '>=', (e) =>
      e
        .selectFrom('chat_messages')
        .select(sql<number>`min(seq)`.as('seq'))
        .where('session_id', '=', sessionId)
        .where('id', 'in', messageIds),
    )
    .returning('root_id')
    .executeTakeFirst()
  if (deleted === undefined) return
  const root = deleted.root_id ?? sessionId
  await tx.deleteFrom('session_summaries').where('root_id', '=', root).execute()
}

/** A step: gives a new session, which begins with a part of another one, the summary of that one. */
export async function inheritSummary(
  tx: Tx,
  sessionId: string,
  { sessionId: from, last, seqs }: Branch,
): Promise<void> {
  const row = await findSummary(tx, from)
  // It also covers what was said after the branch began.
  if (row === undefined || row.covers_seq > last) return
  const covers_seq = coveredOf(seqs, row.covers_seq)
  const root_id = row.root_id ?? from
  await putSummary(tx, { ...row, session_id: sessionId, covers_seq, root_id })
}

/** How many messages of a branch a summary of the session covers that it comes from. */
export function coveredOf(seqs: readonly number[], covers: number): number {
  return seqs.filter((seq) => seq <= covers).length
}

/** The session that a job sums up. */
export function findSummedSession(reader: Reader, id: string) {
  return reader
    .selectFrom('chat_sessions')
    .select(['id', 'workspace_id', 'agent_id', 'end_user', 'message_count'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The newest messages of a session, with their sizes in bytes; newest first. */
export async function listNewestSizes(
  reader: Reader,
  sessionId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
) {
  return await reader
    .selectFrom('chat_messages')
    .select(['seq', 'role'])
    .select(
      sql<number>`octet_length(content) + coalesce(octet_length(parts_json), 0)
        + coalesce(octet_length(calls_json), 0)`.as('bytes'),
    )
    .where('session_id', '=', sessionId)
    .where('seq', '>', after)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
}

/** Of a message, a summary is made from this many characters at most. */
export const mostOfMessage = 4_000

interface Part {
  /** The part begins after this message and ends with `last`. */
  readonly after: number
  readonly last: number
}

/** The beginnings of the next messages to sum up, oldest first. */
export function listSummed(
  reader: Reader,
  sessionId: string,
  { after, last }: Part,
  limit: number,
) {
  return reader
    .selectFrom('chat_messages')
    .select(['seq', 'id', 'role', 'finish_reason'])
    .select(sql<string>`substr(content, 1, ${sql.lit(mostOfMessage + 1)})`.as('content'))
    .where('session_id', '=', sessionId)
    .where('seq', '>', after)
    .where('seq', '<=', last)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

export type SummedMessage = Awaited<ReturnType<typeof listSummed>>[number]

/** How many messages of a part have lost their content. */
export async function countDeleted(
  reader: Reader,
  sessionId: string,
  { after, last }: Part,
  deleted: string,
): Promise<number> {
  const { count } = await reader
    .selectFrom('chat_messages')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('seq', '>', after)
    .where('seq', '<=', last)
    .where('finish_reason', '=', deleted)
    .executeTakeFirstOrThrow()
  return Number(count)
}
