import type { Tx } from '#platform/db/database.ts'
import { markDeveloperKeysRevoked } from './developer-key-store.ts'

/** A step: ends a person's developer keys, those of one workspace or all of them. */
export async function endDeveloperKeys(
  tx: Tx,
  whose: { readonly userId: string; readonly workspaceId?: string },
  now: number,
): Promise<void> {
  await markDeveloperKeysRevoked(tx, whose, now)
}
