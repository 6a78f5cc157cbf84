import type { Tx } from '#platform/db/database.ts'
import { endLiveGrants } from './grant-store.ts'
import { deleteUnredeemed } from './request-store.ts'

/**
 * A step: ends a person's live grants with all their tokens, and the codes from which a client could
 * still make one; with a workspace, only those for it.
 */
export async function endGrants(
  tx: Tx,
  person: { readonly userId: string; readonly workspaceId?: string },
  now: number,
): Promise<void> {
  await deleteUnredeemed(tx, person)
  await endLiveGrants(tx, person, now)
}
