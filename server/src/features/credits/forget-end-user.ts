import type { Context } from '#platform/context.ts'
import type { Engine } from '#platform/db/database.ts'
import { findLastEntry, forgetEntries, forgetWindows, listEntryTimes } from './end-user-store.ts'

/** The most entries that one unit changes. On SQLite, all other writes wait for it. */
const entriesPerUnit: Readonly<Record<Engine, number>> = { sqlite: 250, postgres: 500 }
const listedAtOnce = 5_000

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
    const times = await listEntryTimes(db.scan, whose, { first, last, limit: listedAtOnce })
    // From the beginning again, for an entry that was committed late.
    if (times.length === 0 && first === 0) break
    first = times.at(-1) ?? 0
    for (const period of periodsOf(times, entriesPerUnit[db.engine])) {
      const done = await db.write((tx) => forgetEntries(tx, whose, period).executeTakeFirst())
      count += Number(done.numUpdatedRows)
    }
  }
  if (everywhere) await db.write((tx) => forgetWindows(tx, workspaceId, endUser))
  return count
}

/** The periods of a unit each. Of entries of one moment in two periods, the first unit forgets all. */
function* periodsOf(times: readonly number[], length: number) {
  for (let at = 0; at < times.length; at += length) {
    const some = times.slice(at, at + length)
    yield { first: some[0] ?? 0, last: some.at(-1) ?? 0 }
  }
}
