import { requireOwned } from '#features/agents/index.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow, type Action } from './action.ts'
import { deleteActionRow } from './store.ts'

/**
 * Deletes an action. Its calls stay in the conversations.
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
    const row = await requireOwned(tx, 'custom_actions', workspaceId, actionId)
    await deleteActionRow(tx, row.id)
    return actionFromRow(row)
  })
}
