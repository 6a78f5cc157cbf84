import { createMask, type Mask } from '#kernel/mask.ts'
import type { Context } from '#platform/context.ts'
import type { Reader } from '#platform/db/database.ts'
import { readHosts } from './secret-hosts.ts'
import { readValue } from './variable.ts'
import { listVariableRows } from './variable-store.ts'

/** A variable with its value, for a call. */
export interface OpenVariable {
  readonly value: string | number | boolean
  readonly isSecret: boolean
  /** Of a secret; see `isForHost`. */
  readonly hosts: readonly string[]
}

export interface OpenVariables {
  readonly byName: ReadonlyMap<string, OpenVariable>
  /** Hides the secrets among them. */
  readonly mask: Mask
}

/** The variables of an agent with their values, for calls only. */
export async function openVariables(
  { vault }: Pick<Context, 'vault'>,
  reader: Reader,
  agentId: string,
): Promise<OpenVariables> {
  const rows = await listVariableRows(reader, agentId)
  const byName = new Map<string, OpenVariable>()
  for (const row of rows) {
    const { name, value_json, value_sealed } = row
    const hosts = readHosts(row.hosts_json)
    if (value_sealed !== null)
      byName.set(name, { value: vault.open(value_sealed), isSecret: true, hosts })
    else if (value_json !== null)
      byName.set(name, { value: readValue(value_json), isSecret: false, hosts })
  }
  const secrets = [...byName.values()].filter(({ isSecret }) => isSecret)
  return { byName, mask: await createMask(secrets.map(({ value }) => String(value))) }
}
