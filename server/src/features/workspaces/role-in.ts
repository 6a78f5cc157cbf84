import type { Role } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { roleFromRow } from './from-row.ts'
import { findMemberWorkspace } from './store.ts'

/** The role of a person in a workspace; null for a stranger, and where the workspace is deleted. */
export function roleIn(
  ctx: Pick<Context, 'db'>,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  return readRole(ctx.db.read, userId, workspaceId)
}

/** A step: the same inside the caller's unit. */
export async function readRole(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  return row === undefined ? null : roleFromRow(row.role)
}
