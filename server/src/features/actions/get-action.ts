import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow, type Action } from './action.ts'
import { findAction, findActionWorkspace } from './store.ts'

/** @throws Fault record_not_found */
export async function getAction(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  actionId: string,
): Promise<Action> {
  const row = await findAction(ctx.db.read, workspaceId, actionId)
  if (row === undefined) throw new Fault(commonFaults.record_not_found)
  return actionFromRow(row)
}

/** The workspace of an action of a live agent; undefined when there is none by that id. */
export function actionWorkspace(
  ctx: Pick<Context, 'db'>,
  actionId: string,
): Promise<string | undefined> {
  return findActionWorkspace(ctx.db.read, actionId)
}
