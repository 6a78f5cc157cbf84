import type { Reader, Tx } from '#platform/db/database.ts'

export interface DeletedWorkspaceRow {
  readonly id: string
  readonly name: string
  readonly deleted_at: number
}

/** The deleted workspaces that a person owns and whose purge has not begun. */
function deletedOf(reader: Reader, userId: string) {
  return reader
    .selectFrom('workspaces')
    .innerJoin('memberships', 'memberships.workspace_id', 'workspaces.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('workspaces.purge_began_at', 'is', null)
    .where('workspaces.deleted_at', 'is not', null)
    .select(['workspaces.id', 'workspaces.name'])
    .select((e) => e.ref('workspaces.deleted_at').$notNull().as('deleted_at'))
}

export async function isRestorable(reader: Reader, userId: string, id: string): Promise<boolean> {
  const row = await deletedOf(reader, userId).where('workspaces.id', '=', id).executeTakeFirst()
  return row !== undefined
}

export function listDeletedWorkspaceRows(
  reader: Reader,
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
) {
  let query = deletedOf(reader, userId).orderBy('workspaces.id').limit(page.limit)
  if (page.after !== undefined) query = query.where('workspaces.id', '>', page.after)
  return query.execute()
}

/** True while the billing provider keeps charging for it. */
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
