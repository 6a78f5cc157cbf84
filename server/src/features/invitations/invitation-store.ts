import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Role } from '#kernel/actor.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type StoredInvitation = Selectable<Schema['invitations']>
export type InvitationRow = StoredInvitation & {
  readonly inviter_name: string
  readonly workspace_name: string
}

/** Invitations to live workspaces, with the names of inviter and workspace. */
function invitations(reader: Reader) {
  return reader
    .selectFrom('invitations as invitation')
    .innerJoin('users as inviter', 'inviter.id', 'invitation.invited_by')
    .innerJoin('workspaces as workspace', 'workspace.id', 'invitation.workspace_id')
    .where('workspace.deleted_at', 'is', null)
    .selectAll('invitation')
    .select(['inviter.name as inviter_name', 'workspace.name as workspace_name'])
}

export async function insertInvitation(tx: Tx, row: Insertable<Schema['invitations']>) {
  await tx.insertInto('invitations').values(row).execute()
}

export function findInvitation(reader: Reader, workspaceId: string, id: string) {
  return invitations(reader)
    .where('invitation.workspace_id', '=', workspaceId)
    .where('invitation.id', '=', id)
    .executeTakeFirst()
}

/** By id alone: for the job that mails it. */
export function findInvitationToMail(reader: Reader, id: string) {
  return invitations(reader).where('invitation.id', '=', id).executeTakeFirst()
}

function open(reader: Reader, now: number) {
  return invitations(reader)
    .where('invitation.accepted_at', 'is', null)
    .where('invitation.revoked_at', 'is', null)
    .where('invitation.expires_at', '>', now)
}

/** By the token's hash alone: the person belongs to no workspace yet. */
export function findOpenInvitation(reader: Reader, hash: string, now: number) {
  return open(reader, now).where('invitation.token_hash', '=', hash).executeTakeFirst()
}

export function findOpenInvitationFor(
  reader: Reader,
  workspaceId: string,
  email: string,
  now: number,
) {
  return open(reader, now)
    .where('invitation.workspace_id', '=', workspaceId)
    .where('invitation.email', '=', email)
    .executeTakeFirst()
}

export async function countOpenInvitations(reader: Reader, workspaceId: string, now: number) {
  const { count } = await reader
    .selectFrom('invitations')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

/** Newest first; accepted and revoked ones only if asked for. */
export function listInvitationRows(
  reader: Reader,
  filter: { readonly workspaceId: string; readonly settled: boolean },
  page: { readonly limit: number; readonly before: string | undefined },
) {
  let query = invitations(reader)
    .where('invitation.workspace_id', '=', filter.workspaceId)
    .orderBy('invitation.id', 'desc')
    .limit(page.limit)
  if (!filter.settled)
    query = query
      .where('invitation.accepted_at', 'is', null)
      .where('invitation.revoked_at', 'is', null)
  if (page.before !== undefined) query = query.where('invitation.id', '<', page.before)
  return query.execute()
}

/** @returns false when it has expired, was revoked or was accepted, even at the same time */
export async function spendInvitation(tx: Tx, hash: string, userId: string, now: number) {
  const spent = await tx
    .updateTable('invitations')
    .set({ accepted_at: now, accepted_by: userId, updated_at: now })
    .where('token_hash', '=', hash)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return spent !== undefined
}

export async function updateInvitation(
  tx: Tx,
  id: string,
  change: Updateable<Schema['invitations']>,
): Promise<void> {
  await tx.updateTable('invitations').set(change).where('id', '=', id).execute()
}

/** The workspace that the person joined by this link, or null. */
export async function workspaceJoinedBy(
  reader: Reader,
  hash: string,
  userId: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom('invitations')
    .select('workspace_id')
    .where('token_hash', '=', hash)
    .where('accepted_by', '=', userId)
    .executeTakeFirst()
  return row?.workspace_id ?? null
}

/** Revokes a person's open invitations: to some roles or to all, in one workspace or in all. */
export async function revokeInvitationsBy(
  tx: Tx,
  { workspaceId, userId }: { readonly workspaceId?: string; readonly userId: string },
  now: number,
  roles?: readonly Role[],
): Promise<void> {
  let query = revoking(tx, now).where('invited_by', '=', userId)
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  if (roles !== undefined) query = query.where('role', 'in', roles)
  await query.execute()
}

/** Revokes the open invitations for an address, in all workspaces. */
export async function revokeInvitationsTo(tx: Tx, email: string, now: number): Promise<void> {
  await revoking(tx, now).where('email', '=', email).execute()
}

function revoking(tx: Tx, now: number) {
  return tx
    .updateTable('invitations')
    .set({ revoked_at: now, mail_sealed: null, updated_at: now })
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
}

/** Stores the outcome of one round; an invitation that was sent again has a newer round. */
export async function noteMailed(
  tx: Tx,
  { id, round }: Pick<StoredInvitation, 'id' | 'round'>,
  outcome: Pick<StoredInvitation, 'mail_status' | 'mail_error'>,
): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ ...outcome, mail_sealed: null })
    .where('id', '=', id)
    .where('round', '=', round)
    .where('mail_status', '=', 'pending')
    .execute()
}
