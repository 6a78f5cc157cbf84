import { fixedLimits } from '#kernel/limits.ts'
import { requireAgent } from '#features/agents/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { actionFaults } from './action-faults.ts'
import {
  actionDefinition,
  type ActionDefinition,
  type NewAction,
} from './request/action-definition.ts'
import { actionFromRow, type Action } from './action.ts'
import { checkDefinition } from './check-definition.ts'
import { keepCredentials, moveCredentials, type WithoutCredentials } from './move-credentials.ts'
import { insertAction, listActionNames } from './store.ts'

/** Actions per agent: the model reads all of them in every turn. */
export const maxActions = fixedLimits.actions_per_agent.most

/**
 * Creates an action. Credentials in it become secret variables of the agent.
 *
 * @throws Fault record_not_found, action_invalid, action_name_taken, too_many_actions,
 *   too_many_variables
 */
export async function createAction(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  workspaceId: string,
  appId: string,
  input: NewAction,
): Promise<Action> {
  const prepared = prepareAction(ctx, input)
  return ctx.db.write(async (tx) => {
    const agent = await requireAgent(tx, workspaceId, appId)
    const names = await listActionNames(tx, agent.id)
    requireFreeName(names, prepared.definition.name)
    requireRoomForActions(names.length, 1)
    return addAction(tx, ctx, { agentId: agent.id, workspaceId }, prepared)
  })
}

/** To be called outside a unit, because it seals. @throws Fault action_invalid */
export function prepareAction(ctx: Pick<Context, 'vault'>, input: NewAction): WithoutCredentials {
  const parsed = actionDefinition.safeParse(input)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Fault(actionFaults.action_invalid, { issues })
  }
  const definition = normalise(parsed.data)
  checkDefinition(definition)
  return moveCredentials(ctx, definition)
}

/** A step. */
export async function addAction(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  { agentId, workspaceId }: { readonly agentId: string; readonly workspaceId: string },
  prepared: WithoutCredentials,
): Promise<Action> {
  const now = clock.now()
  const definition = await keepCredentials(tx, { agentId, workspaceId, now }, prepared, null)
  const row = {
    id: newId(now),
    workspace_id: workspaceId,
    agent_id: agentId,
    name: definition.name,
    enabled: definition.enabled ? 1 : 0,
    definition_json: JSON.stringify(definition),
    last_test_json: null,
    created_at: now,
    updated_at: now,
  }
  await insertAction(tx, row)
  return actionFromRow(row)
}

/** Path parameters are always required, and the title defaults to the name. */
export function normalise(definition: ActionDefinition): ActionDefinition {
  const parameters = definition.parameters.map((parameter) =>
    parameter.in === 'path' ? { ...parameter, required: true } : parameter,
  )
  return { ...definition, title: definition.title || definition.name, parameters }
}

/** @throws Fault action_name_taken */
export function requireFreeName(
  names: readonly { readonly id: string; readonly name: string }[],
  name: string,
  own?: string,
): void {
  if (names.some((one) => one.name === name && one.id !== own))
    throw new Fault(actionFaults.action_name_taken, { name })
}

/** @throws Fault too_many_actions */
export function requireRoomForActions(count: number, more: number): void {
  if (count + more > maxActions)
    throw new Fault(actionFaults.too_many_actions, { allowed: maxActions })
}
