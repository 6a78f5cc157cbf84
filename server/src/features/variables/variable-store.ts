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

/** Agents with a secret that was stored before hosts were required. */
export async function listUnboundAgents(reader: Reader, limit: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('agent_variables')
    .select('agent_id')
    .distinct()
    .where('kind', '=', 'secret')
    .where('hosts_json', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** A step: sets the hosts of those secrets of an agent. @returns how many got hosts, and how many none */
export async function setSecretHosts(
  tx: Tx,
  agentId: string,
  now: number,
  hostsOf: (name: string) => readonly string[],
): Promise<{ bound: number; unbound: number }> {
  const secrets = (await listVariableRows(tx, agentId)).filter(
    ({ kind, hosts_json }) => kind === 'secret' && hosts_json === null,
  )
  let bound = 0
  for (const row of secrets) {
    const hosts = hostsOf(row.name)
    if (hosts.length > 0) bound += 1
    await upsertVariable(tx, { ...row, hosts_json: JSON.stringify(hosts), updated_at: now })
  }
  return { bound, unbound: secrets.length - bound }
}

/** The secrets of live agents that may be sent to no host, of all workspaces. */
export function listSecretsWithoutHosts(reader: Reader) {
  return (
    reader
      .selectFrom('agent_variables as variable')
      .innerJoin('agents as agent', 'agent.id', 'variable.agent_id')
      .where('variable.kind', '=', 'secret')
      .where((e) =>
        e.or([e('variable.hosts_json', 'is', null), e('variable.hosts_json', '=', '[]')]),
      )
      // An imported secret has no value yet.
      .where('variable.value_sealed', 'is not', null)
      .where('agent.deleted_at', 'is', null)
      .select(['agent.app_name_id as appNameId', 'variable.name'])
      .orderBy('agent.number')
      .orderBy('variable.name')
      .execute()
  )
}

export async function deleteVariableRow(tx: Tx, agentId: string, name: string): Promise<void> {
  await tx
    .deleteFrom('agent_variables')
    .where('agent_id', '=', agentId)
    .where('name', '=', name)
    .execute()
}
