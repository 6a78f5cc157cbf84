import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { readHosts } from './secret-hosts.ts'

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
  const { agent_id: _agent, name: _name, workspace_id: _workspace, created_at: _at, ...rest } = row
  await tx
    .insertInto('agent_variables')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agent_id', 'name']).doUpdateSet(rest))
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

/** The hosts of the actions that use a secret. */
export interface UsedHosts {
  readonly hosts: ReadonlySet<string>
  /** False if the host of one of the actions is not known. */
  readonly isWhole: boolean
}

/** A step: sets the hosts of those secrets of an agent. @returns how many got hosts, and how many none */
export async function setSecretHosts(
  tx: Tx,
  agentId: string,
  now: number,
  hostsOf: (name: string) => UsedHosts | undefined,
): Promise<{ bound: number; unbound: number }> {
  const secrets = (await listVariableRows(tx, agentId)).filter(
    ({ kind, hosts_json }) => kind === 'secret' && hosts_json === null,
  )
  let bound = 0
  for (const row of secrets) {
    const { hosts, isWhole } = hostsOf(row.name) ?? { hosts: new Set(), isWhole: true }
    if (hosts.size > 0) bound += 1
    const hosts_json = JSON.stringify([...hosts])
    const hosts_incomplete = isWhole ? 0 : 1
    await upsertVariable(tx, { ...row, hosts_json, hosts_incomplete, updated_at: now })
  }
  return { bound, unbound: secrets.length - bound }
}

/**
 * The secrets, of all workspaces, whose hosts an upgrade could not derive: they may be sent to no host,
 * or not to all hosts of the actions that use them. Those of a deleted agent count, because it can be
 * restored until its purge.
 */
export async function listSecretsWithoutHosts(reader: Reader) {
  const rows = await reader
    .selectFrom('agent_variables as variable')
    .innerJoin('agents as agent', 'agent.id', 'variable.agent_id')
    .where('variable.kind', '=', 'secret')
    .where((e) =>
      e.or([
        e('variable.hosts_json', 'is', null),
        e('variable.hosts_json', '=', '[]'),
        e('variable.hosts_incomplete', '=', 1),
      ]),
    )
    // An imported secret has no value yet.
    .where('variable.value_sealed', 'is not', null)
    .select(['agent.app_name_id as appNameId', 'agent.deleted_at', 'variable.name', 'hosts_json'])
    .orderBy('agent.number')
    .orderBy('variable.name')
    .execute()
  return rows.map(({ deleted_at, hosts_json, ...secret }) => ({
    ...secret,
    isDeleted: deleted_at !== null,
    hosts: readHosts(hosts_json),
  }))
}

export async function deleteVariableRow(tx: Tx, agentId: string, name: string): Promise<void> {
  await tx
    .deleteFrom('agent_variables')
    .where('agent_id', '=', agentId)
    .where('name', '=', name)
    .execute()
}
