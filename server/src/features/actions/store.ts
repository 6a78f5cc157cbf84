import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type ActionRow = Selectable<Schema['custom_actions']>

/** The actions that a model is offered, oldest first, so that their order is stable. */
export function listEnabledRows(reader: Reader, agentId: string): Promise<ActionRow[]> {
  return reader
    .selectFrom('custom_actions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
}

/** The names of the tools that a model is offered for the actions of an agent. */
export async function enabledActionNames(
  reader: Reader,
  agentId: string,
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('custom_actions')
    .select('name')
    .where('agent_id', '=', agentId)
    .where('enabled', '=', 1)
    .execute()
  return rows.map(({ name }) => name)
}

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
