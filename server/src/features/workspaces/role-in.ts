import type { Role } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import { roleFromRow } from './from-row.ts'
import { findMemberWorkspace } from './store.ts'

/** The role of a person in a workspace; null for a stranger, and where the workspace is deleted. */
export async function roleIn(
  ctx: Pick<Context, 'db'>,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  const row = await findMemberWorkspace(ctx.db.read, userId, workspaceId)
  return row === undefined ? null : roleFromRow(row.role)
}
