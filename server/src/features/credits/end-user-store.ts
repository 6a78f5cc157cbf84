import { lastDigits } from '#kernel/ids.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { digits } from './ledger-store.ts'

interface EndUser {
  readonly workspaceId: string
  readonly agentId: string
  readonly endUser: string
}

function entriesOf(reader: Reader, { workspaceId, agentId, endUser }: EndUser) {
  return reader
    .selectFrom('credit_entries')
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .where('agent_id', '=', agentId)
    .where('end_user', '=', endUser)
}

/** When the end user's newest entry was written; null if there is none. */
export async function findLastEntry(reader: Reader, endUser: EndUser): Promise<number | null> {
  const row = await entriesOf(reader, endUser)
    .select(({ fn }) => fn.max('created_at').as('at'))
    .executeTakeFirst()
  return row?.at ?? null
}

/** A period, including both ends. */
interface Period {
  readonly first: number
  readonly last: number
}

/**
 * When an end user's entries of a period were written, oldest first. Ordered as in the index of end users:
 * without an order, PostgreSQL reads the table from its beginning each time.
 */
export async function listEntryTimes(
  reader: Reader,
  endUser: EndUser,
  { first, last, limit }: Period & { readonly limit: number },
): Promise<readonly number[]> {
  const rows = await entriesOf(reader, endUser)
    .select('created_at')
    .where('created_at', '>=', first)
    .where('created_at', '<=', last)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ created_at }) => created_at)
}

/**
 * A step: forgets whose the entries of a period were. By the columns of the index of end users: for a list of
 * ids, SQLite read all entries of the workspace.
 */
export function forgetEntries(
  tx: Tx,
  { workspaceId, agentId, endUser }: EndUser,
  { first, last }: Period,
) {
  return tx
    .updateTable('credit_entries')
    .set({ end_user: null })
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .where('agent_id', '=', agentId)
    .where('end_user', '=', endUser)
    .where('created_at', '>=', first)
    .where('created_at', '<=', last)
}

/** Deletes what they used of their caps, and the caps that were set for them by name. */
export async function forgetWindows(tx: Tx, workspaceId: string, endUser: string): Promise<void> {
  for (const table of ['credit_windows', 'credit_caps'] as const)
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('subject', '=', 'end_user')
      .where('subject_id', '=', endUser)
      .execute()
}
