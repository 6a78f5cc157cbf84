import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type ActionRow = Selectable<Schema['custom_actions']>

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
