import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { workspaceFromRow } from './from-row.ts'
import { findMemberWorkspace } from './store.ts'
import type { Workspace } from './workspace.ts'

/** @throws Fault record_not_found when the person is no member */
export function getWorkspace(
  ctx: Pick<Context, 'db'>,
  userId: string,
  workspaceId: string,
): Promise<Workspace> {
  return readWorkspace(ctx.db.read, userId, workspaceId)
}

/** A step: the same inside the caller's unit. */
export async function readWorkspace(
  reader: Reader,
  userId: string,
  workspaceId: string,
): Promise<Workspace> {
  const row = await findMemberWorkspace(reader, userId, workspaceId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return workspaceFromRow(row)
}
