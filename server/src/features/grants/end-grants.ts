import type { Tx } from '#platform/db/database.ts'
import { endGrant, listLiveGrantIds } from './grant-store.ts'

/**
 * A step: ends what a person granted to applications, with every token of it; what acts in one
 * workspace by default, or all of it.
 */
export async function endGrants(
  tx: Tx,
  whose: { readonly userId: string; readonly workspaceId?: string },
  now: number,
): Promise<void> {
  for (const id of await listLiveGrantIds(tx, whose)) await endGrant(tx, id, now)
}
