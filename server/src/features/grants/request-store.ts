import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type RequestRow = Selectable<Schema['authorization_requests']>

export async function insertRequest(tx: Tx, row: RequestRow): Promise<void> {
  await tx.insertInto('authorization_requests').values(row).execute()
}

export function findRequest(reader: Reader, handleHash: string): Promise<RequestRow | undefined> {
  return reader
    .selectFrom('authorization_requests')
    .selectAll()
    .where('handle_hash', '=', handleHash)
    .executeTakeFirst()
}

export function findRequestByCode(reader: Reader, codeHash: string) {
  return reader
    .selectFrom('authorization_requests')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
}

export interface Decision {
  readonly decided_at: number
  readonly user_id: string
  /** The following fields are set only if the person agreed. */
  readonly workspace_id?: string
  readonly scopes?: string
  readonly reach_json?: string | null
  readonly code_hash?: string
}

/** @returns false if it was already decided, even at the same time */
export async function decideRequest(tx: Tx, id: string, decision: Decision): Promise<boolean> {
  const decided = await tx
    .updateTable('authorization_requests')
    .set(decision)
    .where('id', '=', id)
    .where('decided_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return decided !== undefined
}

/** @returns false if the code was already used, even at the same time */
export async function burnCode(tx: Tx, id: string, now: number): Promise<boolean> {
  const burnt = await tx
    .updateTable('authorization_requests')
    .set({ redeemed_at: now })
    .where('id', '=', id)
    .where('redeemed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return burnt !== undefined
}

export async function noteGrant(tx: Tx, id: string, grantId: string): Promise<void> {
  await tx
    .updateTable('authorization_requests')
    .set({ grant_id: grantId })
    .where('id', '=', id)
    .execute()
}

/** Deletes the requests that a person authorized and no client has redeemed yet. */
export async function deleteUnredeemed(
  tx: Tx,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId?: string },
): Promise<void> {
  let query = tx
    .deleteFrom('authorization_requests')
    .where('user_id', '=', userId)
    .where('redeemed_at', 'is', null)
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  await query.execute()
}

export async function deleteRequests(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom('authorization_requests').where('expires_at', '<', expiredBefore).execute()
}
