import { listOwned, pageOfOwned, requireOwned } from '#features/agents/index.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { actionFromRow, type Action } from './action.ts'
import type { ActionDefinition } from './request/action-definition.ts'

/** @throws Fault record_not_found */
export async function getAction(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  actionId: string,
): Promise<Action> {
  return actionFromRow(await requireOwned(db.read, 'custom_actions', workspaceId, actionId))
}

/**
 * The actions of an agent, newest first.
 *
 * @param appId UUID or `app_name_id`
 * @throws Fault record_not_found for an agent that is not in the workspace
 */
export function listActions(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  page: PageRequest,
): Promise<Page<Action>> {
  return pageOfOwned(ctx, 'custom_actions', { workspaceId, appId }, page, actionFromRow)
}

/**
 * The actions of an agent, oldest first, to be copied to another agent. The agent must have been
 * found in the workspace first.
 */
export async function readPortableActions(
  reader: Reader,
  agentId: string,
): Promise<ActionDefinition[]> {
  const rows = await listOwned(reader, 'custom_actions', agentId)
  return rows.toReversed().map((row) => actionFromRow(row).definition)
}
