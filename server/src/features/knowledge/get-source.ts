import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { sourceFromRow, type Source } from './source.ts'
import { findSource, findSourceWorkspace } from './store.ts'

/** @throws Fault record_not_found */
export async function getSource(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  sourceId: string,
): Promise<Source> {
  const row = await findSource(ctx.db.read, workspaceId, sourceId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return sourceFromRow(row)
}

/** The workspace of a source of a live agent; undefined when there is none by that id. */
export function sourceWorkspace(
  ctx: Pick<Context, 'db'>,
  sourceId: string,
): Promise<string | undefined> {
  return findSourceWorkspace(ctx.db.read, sourceId)
}
