import type { Reader, Tx } from '#platform/db/database.ts'

interface EntriesOf {
  readonly workspaceId: string
  readonly agentId: string
  readonly endUser: string
}

/** When the end user's youngest entry was written; null if there is none. */
export async function findLastEntry(reader: Reader, whose: EntriesOf): Promise<number | null> {
  const row = await reader
    .selectFrom('credit_entries')
    .select(({ fn }) => fn.max('created_at').as('at'))
    .where('workspace_id', '=', whose.workspaceId)
    .where('agent_id', '=', whose.agentId)
    .where('end_user', '=', whose.endUser)
    .executeTakeFirst()
  return row?.at ?? null
}

/** Entries of an end user, written at `last` or earlier. */
export async function listEntriesOf(
  reader: Reader,
  whose: EntriesOf,
  { last, limit }: { readonly last: number; readonly limit: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom('credit_entries')
    .select('id')
    .where('workspace_id', '=', whose.workspaceId)
    .where('agent_id', '=', whose.agentId)
    .where('end_user', '=', whose.endUser)
    .where('created_at', '<=', last)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
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

/** What they used of their caps, and caps that were set for them by name. */
export async function forgetWindows(tx: Tx, workspaceId: string, endUser: string): Promise<void> {
  for (const table of ['credit_windows', 'credit_caps'] as const)
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('subject', '=', 'end_user')
      .where('subject_id', '=', endUser)
      .execute()
}
