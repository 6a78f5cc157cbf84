import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { variableFromRow, type Variable } from './variable.ts'
import { listVariableRows } from './variable-store.ts'

/**
 * The variables of an agent in the order of their names, secrets without their values.
 *
 * @throws Fault record_not_found
 */
export async function listVariables(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Variable>> {
  const after = readCursor(cursor, z.string())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const rows = await listVariableRows(ctx.db.read, agent.id, { limit: limit + 1, after })
  return pageOf(rows, limit, { key: (row) => row.name, item: variableFromRow })
}
