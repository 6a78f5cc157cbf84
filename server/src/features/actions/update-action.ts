import { requireOwned } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { actionFaults } from './action-faults.ts'
import type { ActionPatch } from './request/action-definition.ts'
import { actionFromRow, type Action } from './action.ts'
import { checkDefinition } from './check-definition.ts'
import { normalise, requireFreeName } from './create-action.ts'
import { keepCredentials, moveCredentials } from './move-credentials.ts'
import { listActionNames, updateActionRow } from './store.ts'

/**
 * Changes the fields of the patch. Parameters and headers are replaced as a whole.
 *
 * @throws Fault record_not_found, action_unchanged, action_invalid, action_name_taken,
 *   too_many_variables
 */
export async function updateAction(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  workspaceId: string,
  actionId: string,
  patch: ActionPatch,
): Promise<Action> {
  const changes = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  )
  return ctx.db.write(async (tx) => {
    const row = await requireOwned(tx, 'custom_actions', workspaceId, actionId)
    if (Object.keys(changes).length === 0) throw new Fault(actionFaults.action_unchanged)
    const before = actionFromRow(row)
    const next = normalise({ ...before.definition, ...changes })
    checkDefinition(next)
    requireFreeName(await listActionNames(tx, row.agent_id), next.name, row.id)
    const now = ctx.clock.now()
    const place = { agentId: row.agent_id, workspaceId, now }
    const moved = moveCredentials(ctx, next)
    const definition = await keepCredentials(tx, place, moved, before.definition)
    const change = {
      name: definition.name,
      enabled: definition.enabled ? 1 : 0,
      definition_json: JSON.stringify(definition),
      // Always a later time: a confirmation is valid only for the version that it was asked for.
      updated_at: Math.max(now, row.updated_at + 1),
    }
    await updateActionRow(tx, row.id, change)
    return actionFromRow({ ...row, ...change })
  })
}
