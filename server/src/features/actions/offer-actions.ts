import type { OfferedTool } from '#features/tool-calls/index.ts'
import type { OpenVariables } from '#features/variables/index.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow } from './action.ts'
import { argumentsSchema, isStrict } from './request/argument-schema.ts'
import type { CallValues } from './request/build-request.ts'
import { readArguments } from './request/read-arguments.ts'
import { runAction } from './request/run-action.ts'
import { listEnabledRows } from './store.ts'

/** The enabled actions of an agent, as tools of this turn. */
export async function offerActions(
  ctx: Pick<Context, 'db' | 'outbound' | 'log'>,
  agentId: string,
  variables: OpenVariables,
  given: Pick<CallValues, 'system' | 'user'>,
): Promise<OfferedTool[]> {
  const rows = await listEnabledRows(ctx.db.read, agentId)
  return rows.map((row) => {
    const { id, definition, updatedAt } = actionFromRow(row)
    const { name, title, description, parameters } = definition
    return {
      tool: {
        name,
        description,
        parameters: argumentsSchema(parameters),
        strict: isStrict(parameters),
      },
      kind: 'action',
      sourceId: id,
      sourceUpdatedAt: updatedAt,
      title,
      requiresConfirmation: definition.requires_confirmation,
      timeoutMs: definition.timeout_ms,
      problemOf(args) {
        const read = readArguments(parameters, args)
        return read.ok ? null : read.problem
      },
      run: (args, signal) =>
        runAction(ctx, definition, { arguments: args, variables, ...given }, signal),
    }
  })
}
