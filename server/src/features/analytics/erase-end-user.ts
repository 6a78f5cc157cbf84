import { createHash } from 'node:crypto'
import { requireAgent } from '#features/agents/index.ts'
import { recordEvent } from '#features/audit/index.ts'
import { deleteJoined } from '#features/conversations/index.ts'
import { forgetEndUser } from '#features/credits/index.ts'
import { eraseUploadsOf } from '#features/files/index.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { deleteListed } from './delete-counted.ts'
import { deleteAllHidden } from './delete-hidden.ts'
import { findLastBeginning, isKnownElsewhere, listSessionsOf } from './deletable-store.ts'
import { renameUser } from './rollup-store.ts'
import { anonymousKey, userKey } from './user-key.ts'

/**
 * Deletes what an agent stored about one of its end users: conversations with their ratings and
 * calls, the files that belong to the user alone, and the user's id in the ledger. Figures stay without the user's key. The audit log keeps
 * the proof. The call may be repeated; what the user says from now on is stored again.
 *
 * @returns the counts as the audit log keeps them, with the ledger entries that lost their end user
 * @throws Fault record_not_found
 */
export async function eraseEndUser(
  ctx: Pick<Context, 'db' | 'clock'>,
  actor: Actor,
  workspaceId: string,
  { appId, endUser }: { readonly appId: string; readonly endUser: string },
) {
  const { db, clock } = ctx
  const { id: agentId } = await requireAgent(db.read, workspaceId, appId)
  // Anyone who knows the id can show by this that it was erased.
  const end_user_sha256 = createHash('sha256').update(endUser).digest('hex')
  const record = async (tx: Tx, detail: Readonly<Record<string, unknown>>) => {
    const event = { actor, workspaceId, action: 'erase_end_user', target: agentId }
    const proof = { ...detail, end_user_sha256 }
    await recordEvent(tx, clock.now(), { ...event, detail: proof, outcome: 'done' })
  }
  // Read once: an end user who keeps chatting would otherwise keep this loop running.
  const last = (await findLastBeginning(db.read, agentId, endUser)) ?? 0
  const deleted = await deleteListed(
    db,
    (reader, limit) => listSessionsOf(reader, agentId, endUser, { last, limit }),
    (tx, rows) => record(tx, { ...rows, is_part: true }),
  )
  // Of a call before this one, whose process ended.
  await deleteAllHidden(db, agentId)
  const everywhere = !(await isKnownElsewhere(db.read, workspaceId, endUser))
  const whose = { workspaceId, agentId, endUser, everywhere }
  const uploaded_files = await eraseUploadsOf(ctx, { workspaceId, agentId }, endUser)
  const ledger_entries = await forgetEndUser(ctx, whose)
  const counts = { ...deleted, uploaded_files, ledger_entries }
  const newKey = anonymousKey()
  await db.write(async (tx) => {
    await renameUser(tx, agentId, userKey(agentId, endUser), newKey)
    await deleteJoined(tx, agentId, endUser)
    await record(tx, counts)
  })
  return { agentId, ...counts, end_user_sha256 }
}
