import type { Role } from '#kernel/actor.ts'
import type { Reader, Tx } from '#platform/db/database.ts'

export interface MemberRow {
  readonly user_id: string
  readonly name: string
  readonly email: string
  readonly email_proven: number
  readonly email_proof: 'mailbox' | 'provider' | 'operator' | null
  readonly disabled_at: number | null
  readonly role: string
  readonly created_at: number
}

function members(reader: Reader, workspaceId: string) {
  return reader
    .selectFrom('memberships as seat')
    .innerJoin('users as person', 'person.id', 'seat.user_id')
    .where('seat.workspace_id', '=', workspaceId)
    .select([
      'seat.user_id',
      'person.name',
      'person.email',
      'person.email_proven',
      'person.email_proof',
      'person.disabled_at',
      'seat.role',
      'seat.created_at',
    ])
}

/** In the order of their accounts: ids are in order of time. */
export function listMemberRows(
  reader: Reader,
  workspaceId: string,
  page: { readonly limit: number; readonly after: string | undefined },
) {
  let query = members(reader, workspaceId).orderBy('seat.user_id').limit(page.limit)
  if (page.after !== undefined) query = query.where('seat.user_id', '>', page.after)
  return query.execute()
}

export function findMemberRow(reader: Reader, workspaceId: string, userId: string) {
  return members(reader, workspaceId).where('seat.user_id', '=', userId).executeTakeFirst()
}

export function findMemberByEmail(reader: Reader, workspaceId: string, email: string) {
  return members(reader, workspaceId).where('person.email', '=', email).executeTakeFirst()
}

export async function countMembers(reader: Reader, workspaceId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('memberships')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

export async function hasOtherOwner(reader: Reader, workspaceId: string, userId: string) {
  const row = await reader
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateRole(tx: Tx, workspaceId: string, userId: string, role: Role) {
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMembership(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('memberships')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}
