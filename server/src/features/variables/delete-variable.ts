import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { variableFromRow, type Variable } from './variable.ts'
import { deleteVariableRow, findVariable } from './variable-store.ts'

/**
 * Deletes a variable. Actions that use it fail until it is set again.
 *
 * @returns the variable as it was
 * @throws Fault record_not_found
 */
export function deleteVariable(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  name: string,
): Promise<Variable> {
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const row = await findVariable(tx, agent.id, name)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    await deleteVariableRow(tx, agent.id, name)
    return variableFromRow(row)
  })
}
