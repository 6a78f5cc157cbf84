import type { Context } from '#platform/context.ts'
import {
  findHead,
  hasBegun,
  hasChains,
  hasUnsigned,
  insertHead,
  listMarked,
  markBegun,
} from './chain-store.ts'
import { instanceChain, newHead, type ChainRow } from './event-macs.ts'
import { recordPurgeBegun } from './purge-events.ts'
import { signedDatabase } from './signed-database.ts'

/** How long processes of the version before may write beside this one. */
const rollingUpgradeMs = 24 * 60 * 60_000

/**
 * Begins the audit log of a database, once: creates the head of the instance's chain. If the head is
 * missing later, it was deleted and is not created again.
 *
 * @returns null if the head was deleted: then nothing more is sealed
 */
export async function beginLog({
  db,
  clock,
  vault,
}: Pick<Context, 'db' | 'clock' | 'vault'>): Promise<ChainRow | null> {
  if (await hasBegun(db.read)) return (await findHead(db.read, instanceChain)) ?? null
  return await signedDatabase(db, vault).write(async (tx) => {
    const now = clock.now()
    const isFirst = await markBegun(tx, now)
    if (isFirst && !(await hasChains(tx))) {
      const until = (await hasUnsigned(tx)) ? now + rollingUpgradeMs : now
      await insertHead(tx, newHead(vault, instanceChain, now, until))
      // Of a version that did not sign the beginning. Later, such a mark alone proves nothing.
      for (const workspaceId of await listMarked(tx)) await recordPurgeBegun(tx, now, workspaceId)
    }
    return (await findHead(tx, instanceChain)) ?? null
  })
}
