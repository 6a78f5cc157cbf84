import type { Tx } from '#platform/db/database.ts'
import { upsertVariable } from './variable-store.ts'

/** A secret that somebody gave as a part of something else. */
export interface SealedSecret {
  readonly name: string
  readonly description: string
  readonly sealed: string
  /** The only hosts that it is sent to; null for any. */
  readonly hosts: readonly string[] | null
}

/** A step: stores it as a variable; one of the same name is overwritten. */
export async function keepSecret(
  tx: Tx,
  place: { readonly agentId: string; readonly workspaceId: string; readonly now: number },
  { name, description, sealed, hosts }: SealedSecret,
): Promise<void> {
  await upsertVariable(tx, {
    agent_id: place.agentId,
    workspace_id: place.workspaceId,
    name,
    kind: 'secret',
    description,
    value_json: null,
    value_sealed: sealed,
    hosts_json: hosts === null ? null : JSON.stringify(hosts),
    created_at: place.now,
    updated_at: place.now,
  })
}
