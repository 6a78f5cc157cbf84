import type { Reader } from '#platform/db/database.ts'
import { sumByMessage } from './ledger-store.ts'

/**
 * A step that reads: what answers cost, each with the embeddings and calls made for it.
 *
 * @returns micros of a credit by the id of the message; none for what was never an answer
 */
export function costOfMessages(
  reader: Reader,
  workspaceId: string,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return sumByMessage(reader, workspaceId, messageIds)
}
