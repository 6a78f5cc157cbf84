import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { CustomActionsTable } from '#platform/db/actions-schema.ts'

export type ActionRow = Selectable<CustomActionsTable>

/** Actions of live agents: those of a deleted one are out of everybody's sight. */
function liveActions(reader: Reader) {
  return reader
    .selectFrom('custom_actions as action')
    .innerJoin('agents as agent', 'agent.id', 'action.agent_id')
    .where('agent.deleted_at', 'is', null)
}

export function findAction(
  reader: Reader,
  workspaceId: string,
  actionId: string,
): Promise<ActionRow | undefined> {
  return liveActions(reader)
    .selectAll('action')
    .where('action.id', '=', actionId)
    .where('action.workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

/** Which workspace an action is in: asked before it is known where the caller may look. */
export async function findActionWorkspace(
  reader: Reader,
  actionId: string,
): Promise<string | undefined> {
  const row = await liveActions(reader)
    .select('action.workspace_id')
    .where('action.id', '=', actionId)
    .executeTakeFirst()
  return row?.workspace_id
}

/** Newest first: ids are in order of time. The agent must have been found in the workspace first. */
export function listActionRows(
  reader: Reader,
  agentId: string,
  page: { limit: number; before: string | undefined },
): Promise<ActionRow[]> {
  let query = reader
    .selectFrom('custom_actions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

/** What an agent's model is offered, oldest first, so that the order stays the same. */
export function listEnabledRows(reader: Reader, agentId: string): Promise<ActionRow[]> {
  return reader
    .selectFrom('custom_actions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
}

/** The names of an agent's actions, with whose they are. */
export function listActionNames(
  reader: Reader,
  agentId: string,
): Promise<Pick<ActionRow, 'id' | 'name'>[]> {
  return reader
    .selectFrom('custom_actions')
    .select(['id', 'name'])
    .where('agent_id', '=', agentId)
    .execute()
}

export async function insertAction(tx: Tx, row: ActionRow): Promise<void> {
  await tx.insertInto('custom_actions').values(row).execute()
}

export async function updateActionRow(
  tx: Tx,
  actionId: string,
  change: Partial<
    Pick<ActionRow, 'name' | 'enabled' | 'definition_json' | 'last_test_json' | 'updated_at'>
  >,
): Promise<void> {
  await tx.updateTable('custom_actions').set(change).where('id', '=', actionId).execute()
}

export async function deleteActionRow(tx: Tx, actionId: string): Promise<void> {
  await tx.deleteFrom('custom_actions').where('id', '=', actionId).execute()
}

/** Whether a model is offered any action of an agent. The turn of a chat key reads the same itself. */
export async function hasActions(reader: Reader, agentId: string): Promise<boolean> {
  const action = await reader
    .selectFrom('custom_actions')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('enabled', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return action !== undefined
}
