import type { Tx } from '#platform/db/database.ts'
import { deleteCallsOfSessions } from './call-store.ts'

/** A step: deletes the calls that were made in conversations. @returns how many there were */
export function deleteSessionCalls(tx: Tx, sessionIds: readonly string[]): Promise<number> {
  return deleteCallsOfSessions(tx, sessionIds)
}
