import type { Reader, Tx } from '#platform/db/database.ts'
import { variableFromRow, type Variable } from './variable.ts'
import { listVariableRows, upsertVariable } from './variable-store.ts'

/** A variable to be copied to another agent. */
export interface PortableVariable extends Pick<
  Variable,
  'name' | 'kind' | 'description' | 'value' | 'hosts'
> {
  /** The sealed value of a secret; null if it has to be set again. */
  readonly sealed: string | null
  /** See `hosts_incomplete`; false if absent. */
  readonly lacksHosts?: boolean
}

/** By name. The agent must have been found in the workspace first. */
export async function readPortableVariables(
  reader: Reader,
  agentId: string,
): Promise<PortableVariable[]> {
  const rows = await listVariableRows(reader, agentId)
  return rows.map((row) => ({
    ...variableFromRow(row),
    sealed: row.value_sealed,
    lacksHosts: row.hosts_incomplete === 1,
  }))
}

/** A step: stores variables of an agent and overwrites those of the same names. */
export async function storeVariables(
  tx: Tx,
  place: { readonly agentId: string; readonly workspaceId: string; readonly now: number },
  variables: readonly PortableVariable[],
): Promise<void> {
  for (const { name, kind, description, value, hosts, sealed, lacksHosts } of variables)
    await upsertVariable(tx, {
      agent_id: place.agentId,
      workspace_id: place.workspaceId,
      name,
      kind,
      description,
      value_json: kind === 'secret' ? null : JSON.stringify(value),
      value_sealed: kind === 'secret' ? sealed : null,
      hosts_json: kind === 'secret' ? JSON.stringify(hosts ?? []) : null,
      hosts_incomplete: lacksHosts === true ? 1 : 0,
      created_at: place.now,
      updated_at: place.now,
    })
}
