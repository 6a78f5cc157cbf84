import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type VariableRow = Selectable<Schema['agent_variables']>

/** The variables of an agent in the order of their names. The agent must have been found in the workspace first. */
export function listVariableRows(
  reader: Reader,
  agentId: string,
  page: { readonly limit?: number; readonly after?: string | undefined } = {},
): Promise<VariableRow[]> {
  let query = reader
    .selectFrom('agent_variables')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('name')
  if (page.after !== undefined) query = query.where('name', '>', page.after)
  if (page.limit !== undefined) query = query.limit(page.limit)
  return query.execute()
}

export async function listVariableNames(reader: Reader, agentId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('agent_variables')
    .select('name')
    .where('agent_id', '=', agentId)
    .execute()
  return rows.map(({ name }) => name)
}

export function findVariable(
  reader: Reader,
  agentId: string,
  name: string,
): Promise<VariableRow | undefined> {
  return reader
    .selectFrom('agent_variables')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('name', '=', name)
    .executeTakeFirst()
}

export async function countVariables(reader: Reader, agentId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('agent_variables')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return count
}

export async function upsertVariable(tx: Tx, row: VariableRow): Promise<void> {
  const { kind, description, value_json, value_sealed, hosts_json, updated_at } = row
  await tx
    .insertInto('agent_variables')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['agent_id', 'name'])
        .doUpdateSet({ kind, description, value_json, value_sealed, hosts_json, updated_at }),
    )
    .execute()
}

export async function deleteVariableRow(tx: Tx, agentId: string, name: string): Promise<void> {
  await tx
    .deleteFrom('agent_variables')
    .where('agent_id', '=', agentId)
    .where('name', '=', name)
    .execute()
}
