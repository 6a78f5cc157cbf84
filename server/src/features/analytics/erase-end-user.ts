import { createHash } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { recordEvent } from '#features/audit/index.ts'
import { forgetEndUser } from '#features/credits/index.ts'
import type { DeletedRows } from '#features/conversations/index.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  addDeleted,
  deleteCounted,
  deletedDetail,
  deletedPerUnit,
  nothingDeleted,
} from './delete-counted.ts'
import { findLastBeginning, isKnownElsewhere, listSessionsOf } from './deletable-store.ts'
import { renameUser } from './rollup-store.ts'
import { anonymousKey, userKey } from './user-key.ts'

export interface Erased extends DeletedRows {
  readonly agentId: string
  /** Entries whose amount stayed and whose end user went. */
  readonly ledgerEntries: number
  /** SHA-256 of the end user's id, in hex: whoever knows the id can show that it was erased. */
  readonly endUserSha256: string
}

export interface EndUser {
  /** UUID or `app_name_id`. */
  readonly appId: string
  /** As the calling application names them. */
  readonly endUser: string
}

/**
 * Deletes what an agent stored of one of its users: conversations with their ratings and calls, and
 * their name in the ledger. Figures stay, and lead to nobody. The audit log keeps the proof. It may
 * be repeated; what is said from now on is stored anew.
 *
 * @throws Fault record_not_found
 */
export async function eraseEndUser(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: Actor,
  workspaceId: string,
  { appId, endUser }: EndUser,
): Promise<Erased> {
  const { db, clock } = ctx
  const { id: agentId } = await requireAgent(db.read, workspaceId, appId)
  const endUserSha256 = createHash('sha256').update(endUser).digest('hex')
  const record = async (tx: Tx, detail: Readonly<Record<string, unknown>>) => {
    const event = { actor, workspaceId, action: 'erase_end_user', target: agentId }
    const proof = { ...detail, end_user_sha256: endUserSha256 }
    await recordEvent(tx, clock.now(), { ...event, detail: proof, outcome: 'done' })
  }
  let deleted = nothingDeleted
  // Read once: an end user who keeps chatting would otherwise keep this loop running.
  const last = (await findLastBeginning(db.read, agentId, endUser)) ?? 0
  for (;;) {
    const ids = await listSessionsOf(db.read, agentId, endUser, { last, limit: deletedPerUnit })
    if (ids.length === 0) break
    const gone = await db.write(async (tx) => {
      const rows = await deleteCounted(tx, db, ids)
      await record(tx, { ...deletedDetail(rows), is_part: true })
      return rows
    })
    deleted = addDeleted(deleted, gone)
  }
  const everywhere = !(await isKnownElsewhere(db.read, workspaceId, endUser))
  const whose = { workspaceId, agentId, endUser, everywhere }
  const ledgerEntries = await forgetEndUser(ctx, whose)
  const nobody = anonymousKey()
  await db.write(async (tx) => {
    await renameUser(tx, agentId, userKey(agentId, endUser), nobody)
    await record(tx, { ...deletedDetail(deleted), ledger_entries: ledgerEntries })
  })
  return { ...deleted, agentId, ledgerEntries, endUserSha256 }
}
