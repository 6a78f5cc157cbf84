import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow, type Action } from './action.ts'
import { deleteActionRow, findAction } from './store.ts'

/**
 * Deletes an action; what it did stays in the conversations.
 *
 * @returns the action as it was
 * @throws Fault record_not_found
 */
export function deleteAction(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  actionId: string,
): Promise<Action> {
  return ctx.db.write(async (tx) => {
    const row = await findAction(tx, workspaceId, actionId)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await deleteActionRow(tx, row.id)
    return actionFromRow(row)
  })
}
