import type { Role } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Reader } from '#platform/db/database.ts'
import { findMemberWorkspace } from './store.ts'
import { roleFromRow, workspaceFromRow, type Workspace } from './workspace.ts'

/** @throws Fault record_not_found when the person is not a member */
export async function getWorkspace(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Workspace> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return workspaceFromRow(row)
}

/** A person's role in a workspace; null for a stranger, and when the workspace is deleted. */
export async function roleIn(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Role | null> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  return row === undefined ? null : roleFromRow(row.role)
}
