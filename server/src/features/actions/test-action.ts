import { requireOwned } from '#features/agents/index.ts'
import type { CallOutcome, Arguments } from '#features/tool-calls/index.ts'
import { openVariables } from '#features/variables/index.ts'
import type { Context } from '#platform/context.ts'
import { actionFromRow, type LastTest } from './action.ts'
import { runAction } from './request/run-action.ts'
import { updateActionRow } from './store.ts'

export interface TestRun extends CallOutcome {
  readonly id: string
  readonly durationMs: number
}

/**
 * Calls an action once for a person who tests it, without a conversation or a confirmation.
 *
 * @param given the arguments that the model would provide
 * @throws Fault record_not_found
 */
export async function testAction(
  ctx: Pick<Context, 'db' | 'clock' | 'vault' | 'outbound' | 'log'>,
  workspaceId: string,
  actionId: string,
  given: Arguments,
): Promise<TestRun> {
  const row = await requireOwned(ctx.db.read, 'custom_actions', workspaceId, actionId)
  const { definition } = actionFromRow(row)
  const variables = await openVariables(ctx, ctx.db.read, row.agent_id)
  const startedAt = ctx.clock.now()
  const system = {
    conversation_id: '00000000-0000-0000-0000-000000000000',
    user_id: 'test',
    timestamp: new Date(startedAt).toISOString(),
    agent_name: 'test',
    last_user_message: 'test',
  }
  const values = { arguments: given, variables, system }
  const outcome = await runAction(ctx, definition, values, new AbortController().signal)
  const durationMs = ctx.clock.now() - startedAt
  const lastTest: LastTest = {
    ok: outcome.ok,
    httpStatus: outcome.httpStatus,
    durationMs,
    at: startedAt,
  }
  return ctx.db.write(async (tx) => {
    await updateActionRow(tx, actionId, { last_test_json: JSON.stringify(lastTest) })
    return { ...outcome, id: actionId, durationMs }
  })
}
