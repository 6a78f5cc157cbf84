import type { Reader, Tx } from '#platform/db/database.ts'

export interface DeletedWorkspaceRow {
  readonly id: string
  readonly name: string
  readonly deleted_at: number
}

/** Those that can be restored: of which nothing has been deleted for good. */
function deletedOf(reader: Reader, userId: string) {
  return reader
    .selectFrom('workspaces')
    .innerJoin('memberships', 'memberships.workspace_id', 'workspaces.id')
    .where('memberships.user_id', '=', userId)
    .where('workspaces.purge_began_at', 'is', null)
    .where('workspaces.deleted_at', 'is not', null)
    .select(['workspaces.id', 'workspaces.name', 'memberships.role'])
    .select((e) => e.ref('workspaces.deleted_at').$notNull().as('deleted_at'))
}

export function findDeletedWorkspace(
  reader: Reader,
  userId: string,
  id: string,
): Promise<(DeletedWorkspaceRow & { readonly role: string }) | undefined> {
  return deletedOf(reader, userId).where('workspaces.id', '=', id).executeTakeFirst()
}

export function listDeletedWorkspaceRows(
  reader: Reader,
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<DeletedWorkspaceRow[]> {
  let query = deletedOf(reader, userId)
    .where('memberships.role', '=', 'owner')
    .orderBy('workspaces.id')
    .limit(page.limit)
  if (page.after !== undefined) query = query.where('workspaces.id', '>', page.after)
  return query.execute()
}

/** True while the billing provider goes on charging for it. */
export async function hasRunningSubscription(reader: Reader, id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('subscriptions')
    .select('workspace_id')
    .where('workspace_id', '=', id)
    .where('status', 'in', ['active', 'trialing', 'past_due', 'unpaid'])
    .where('cancels_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function markDeleted(
  tx: Tx,
  id: string,
  { userId, now }: { readonly userId: string; readonly now: number },
): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set({ deleted_at: now, deleted_by: userId, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export async function markRestored(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set({ deleted_at: null, deleted_by: null, updated_at: now })
    .where('id', '=', id)
    .execute()
}
