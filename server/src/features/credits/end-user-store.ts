import type { Reader, Tx } from '#platform/db/database.ts'

interface EndUser {
  readonly workspaceId: string
  readonly agentId: string
  readonly endUser: string
}

function entriesOf(reader: Reader, { workspaceId, agentId, endUser }: EndUser) {
  return reader
    .selectFrom('credit_entries')
    .where('workspace_id', '=', workspaceId)
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

/**
 * An end user's entries that were written from `first` to `last`. Ordered as in the index of end users:
 * without an order, PostgreSQL reads the table from its beginning each time.
 */
export async function listEntriesOf(
  reader: Reader,
  endUser: EndUser,
  { first, last, limit }: { readonly first: number; readonly last: number; readonly limit: number },
) {
  return await entriesOf(reader, endUser)
    .select(['id', 'created_at'])
    .where('created_at', '>=', first)
    .where('created_at', '<=', last)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export async function forgetEntries(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await tx
    .updateTable('credit_entries')
    .set({ end_user: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute()
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
