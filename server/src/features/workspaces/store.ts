import type { Selectable } from 'kysely'
import type { Role } from '#kernel/actor.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type WorkspaceRow = Omit<Selectable<Schema['workspaces']>, 'deleted_by' | 'purge_began_at'>
export type MemberWorkspaceRow = WorkspaceRow & { role: string }
type NewWorkspaceRow = Omit<WorkspaceRow, 'plan_is_own' | 'owners_need_second_factor'>

/** A person's live workspaces, each with their role in it. */
function workspacesOf(reader: Reader, userId: string) {
  return reader
    .selectFrom('workspaces')
    .innerJoin('memberships', 'memberships.workspace_id', 'workspaces.id')
    .selectAll('workspaces')
    .select('memberships.role')
    .where('memberships.user_id', '=', userId)
    .where('workspaces.deleted_at', 'is', null)
}

export function findMemberWorkspace(reader: Reader, userId: string, workspaceId: string) {
  return workspacesOf(reader, userId).where('workspaces.id', '=', workspaceId).executeTakeFirst()
}

/** Oldest first: ids are in order of time. */
export function listMemberWorkspaces(
  reader: Reader,
  { userId, among }: { userId: string; among?: readonly string[] | undefined },
  page: { limit: number; after: string | undefined },
) {
  let query = workspacesOf(reader, userId).orderBy('workspaces.id').limit(page.limit)
  if (among !== undefined) query = query.where('workspaces.id', 'in', among)
  if (page.after !== undefined) query = query.where('workspaces.id', '>', page.after)
  return query.execute()
}

export async function findPlan(reader: Reader, workspaceId: string): Promise<string | undefined> {
  const row = await reader
    .selectFrom('workspaces')
    .select('plan')
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.plan
}

export async function insertWorkspace(tx: Tx, row: NewWorkspaceRow): Promise<void> {
  await tx.insertInto('workspaces').values(row).execute()
}

export async function insertMembership(
  tx: Tx,
  row: { workspace_id: string; user_id: string; role: Role; created_at: number },
): Promise<void> {
  await tx.insertInto('memberships').values(row).execute()
}

/** Renames the workspaces with this name that the person owns. */
export async function renameOwned(
  tx: Tx,
  ownerId: string,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: number },
): Promise<void> {
  const owned = tx
    .selectFrom('memberships')
    .select('workspace_id')
    .where('user_id', '=', ownerId)
    .where('role', '=', 'owner')
  await tx
    .updateTable('workspaces')
    .set({ name: to, updated_at: now })
    .where('name', '=', from)
    .where('id', 'in', owned)
    .execute()
}

export async function updateWorkspaceRow(
  tx: Tx,
  workspaceId: string,
  change: Partial<
    Pick<WorkspaceRow, 'name' | 'plan' | 'plan_is_own' | 'owners_need_second_factor'>
  > & {
    updated_at: number
  },
): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set(change)
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
}

export async function findBillingUser(reader: Reader, workspaceId: string): Promise<string | null> {
  const row = await reader
    .selectFrom('workspaces')
    .select('billing_user_id')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return row?.billing_user_id ?? null
}

export async function setBillingUser(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set({ billing_user_id: userId })
    .where('id', '=', workspaceId)
    .execute()
}

/** The other owners of a workspace, longest membership first. */
export async function listOtherOwners(
  reader: Reader,
  workspaceId: string,
  userId: string,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', userId)
    .orderBy('created_at')
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
