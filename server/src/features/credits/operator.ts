import { ownsFirstWorkspace } from '#features/quotas/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { creditFaults } from './credit-faults.ts'

/**
 * The operator is an owner of the instance's first workspace. Only the operator sets prices and grants
 * credits, because workspaces are charged by them.
 */
export function isOperator(ctx: Pick<Context, 'db'>, userId: string): Promise<boolean> {
  return ownsFirstWorkspace(ctx.db.read, userId)
}

/**
 * A step.
 *
 * @throws Fault operator_required
 */
export async function requireOperator(reader: Reader, userId: string): Promise<void> {
  if (!(await ownsFirstWorkspace(reader, userId))) throw new Fault(creditFaults.operator_required)
}
