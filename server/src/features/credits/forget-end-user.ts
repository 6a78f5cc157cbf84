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
  for (let first = 0; ;) {
    const entries = await listEntriesOf(db.scan, whose, { first, last, limit: entriesPerUnit })
    const ids = entries.map(({ id }) => id)
    // From the beginning again, for an entry that was committed late.
    if (ids.length === 0 && first === 0) break
    first = entries.at(-1)?.created_at ?? 0
    if (ids.length === 0) continue
    await db.write((tx) => forgetEntries(tx, workspaceId, ids))
    count += ids.length
  }
  if (everywhere) await db.write((tx) => forgetWindows(tx, workspaceId, endUser))
  return count
}
