import type { Context } from '#platform/context.ts'
import { findLastEntry, forgetEntries, forgetWindows, listEntriesOf } from './end-user-store.ts'

const entriesPerUnit = 500

interface ForgottenUser {
  readonly workspaceId: string
  readonly agentId: string
  readonly endUser: string
  /** True when no other agent of the workspace knows them: then their caps are deleted, too. */
  readonly everywhere: boolean
}

/**
 * Removes an end user's id from the ledger; the amounts stay. May be repeated.
 *
 * @returns the number of entries changed
 */
export async function forgetEndUser(
  { db }: Pick<Context, 'db'>,
  { workspaceId, agentId, endUser, everywhere }: ForgottenUser,
): Promise<number> {
  let count = 0
  const whose = { workspaceId, agentId, endUser }
  // Read once: an end user who keeps chatting would otherwise keep this loop running.
  const last = (await findLastEntry(db.scan, whose)) ?? 0
  for (;;) {
    const ids = await listEntriesOf(db.scan, whose, { last, limit: entriesPerUnit })
    if (ids.length === 0) break
    await db.write((tx) => forgetEntries(tx, workspaceId, ids))
    count += ids.length
  }
  if (everywhere) await db.write((tx) => forgetWindows(tx, workspaceId, endUser))
  return count
}
