import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import type { DeletedRows } from './deletion-store.ts'

/**
 * A conversation with more rows than a unit may delete. Its first unit hides it: without an agent and a
 * workspace, no list, search or turn finds it. Its id stays taken until its last row is gone, so that no
 * other conversation begins among its messages.
 */

/**
 * More than any session has: a claim that was decided before does not match, and an answer that is on its
 * way gets a number of its own.
 */
const beyondAllMessages = 1_000_000_000

/** What a turn could still begin with, or continue. */
const few = [
  'session_waiters',
  'response_runs',
  'session_summaries',
  'conversation_metadata',
] as const

const nothingDeleted: DeletedRows = { conversations: 0, messages: 0, ratings: 0, actionCalls: 0 }

/** A step: hides a conversation. @returns what it contains, which is as good as deleted */
export async function hideSession(tx: Tx, id: string): Promise<DeletedRows> {
  const hidden = await sql`
    insert into deleted_sessions (id, workspace_id, agent_id, question_taken)
    select id, workspace_id, agent_id, 0 from chat_sessions where id = ${id} and agent_id <> ''
  `.execute(tx)
  if (hidden.numAffectedRows !== 1n) return nothingDeleted
  await tx
    .updateTable('chat_sessions')
    .set((row) => ({
      agent_id: '',
      workspace_id: '',
      message_count: row('message_count', '+', sql.lit(beyondAllMessages)),
    }))
    .where('id', '=', id)
    .execute()
  for (const table of few) await tx.deleteFrom(table).where('session_id', '=', id).execute()
  const count = async (table: 'chat_messages' | 'chat_feedback' | 'action_calls') => {
    const counted = tx.selectFrom(table).where('session_id', '=', id)
    const row = await counted.select(({ fn }) => fn.countAll().as('n')).executeTakeFirstOrThrow()
    return Number(row.n)
  }
  return {
    conversations: 1,
    messages: await count('chat_messages'),
    ratings: await count('chat_feedback'),
    actionCalls: await count('action_calls'),
  }
}

/** Conversations that are hidden and not gone yet; of one agent, or of all. */
export function listHidden(reader: Reader, agentId: string | null, limit: number) {
  const hidden = reader.selectFrom('deleted_sessions').select(['id', 'workspace_id'])
  const wanted = agentId === null ? hidden : hidden.where('agent_id', '=', agentId)
  return wanted.orderBy('id').limit(limit).execute()
}

export function findHidden(reader: Reader, id: string) {
  return reader.selectFrom('deleted_sessions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A step: its question is no longer one of the frequent questions. */
export async function markQuestionTaken(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('deleted_sessions').set({ question_taken: 1 }).where('id', '=', id).execute()
}

/** A step: deletes the messages from a number on. */
export async function deleteMessagesFrom(tx: Tx, id: string, firstSeq: number): Promise<void> {
  await tx
    .deleteFrom('chat_messages')
    .where('session_id', '=', id)
    .where('seq', '>=', firstSeq)
    .execute()
}

/** Tables whose rows analytics counts before they are deleted. */
type CountedTable = 'action_calls' | 'chat_responses'

/** The texts that can be long. */
const longTexts = {
  action_calls: sql<number>`octet_length(arguments_json) + coalesce(octet_length(response_excerpt), 0)`,
  chat_responses: sql<number>`octet_length(request_json)`,
}

/** The first rows of a conversation in a table, as many as one unit deletes: at least one, by their ids. */
export async function listSomeIds(
  reader: Reader,
  table: CountedTable,
  sessionId: string,
  most: { readonly rows: number; readonly bytes: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom(table)
    .select(['id', longTexts[table].as('bytes')])
    .where('session_id', '=', sessionId)
    .limit(most.rows)
    .execute()
  let bytes = 0
  const fitting = rows.filter((row, n) => (bytes += Number(row.bytes)) <= most.bytes || n === 0)
  return fitting.map(({ id }) => id)
}

/** A step. */
export async function deleteByIds(
  tx: Tx,
  table: CountedTable,
  ids: readonly string[],
): Promise<void> {
  await tx.deleteFrom(table).where('id', 'in', ids).execute()
}

/** The ratings come after the messages: a trigger compares them. */
const others = ['response_texts', 'chat_feedback'] as const

/** A step: deletes some of the rows that nothing counts. @returns false when none are left */
export async function deleteSomeOthers(
  tx: Tx,
  engine: Engine,
  id: string,
  limit: number,
): Promise<boolean> {
  // The physical row id: every table has it, whatever its key.
  const place = sql.raw(engine === 'sqlite' ? 'rowid' : 'ctid')
  const some = async (table: string) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${place} in (
        select ${place} from ${sql.table(table)} where session_id = ${id} limit ${limit}
      )
    `.execute(tx)
    return numAffectedRows > 0n
  }
  for (const table of others) if (await some(table)) return true
  if (engine === 'postgres') return await some('conversation_terms')
  const { rows } = await sql<{ id: number }>`
    select id from conversation_documents where session_id = ${id} limit ${limit}
  `.execute(tx)
  if (rows.length === 0) return false
  const documents = rows.map((row) => row.id)
  await tx.deleteFrom('conversation_index').where('rowid', 'in', documents).execute()
  await tx.deleteFrom('conversation_documents').where('id', 'in', documents).execute()
  return true
}

/** A step, after the conversation itself. */
export async function forgetHidden(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('deleted_sessions').where('id', '=', id).execute()
}
