import { commonFaults } from '#kernel/fault.ts'
import { reachesInto, reachesRecord, reachesWorkspace, type Place } from '#kernel/reach.ts'
import type { Attempt } from './recorded-database.ts'

/** The workspace that a call acts in, and where the record that it names is, if it was looked up. */
export interface ChosenPlace {
  readonly workspaceId: string
  readonly record: Place | null
}

/**
 * The fault for a call beyond its credential's reach; null for a call within it. A record or a
 * workspace beyond reach is answered as if it did not exist. `credential_bound` is only for an
 * operation that needs more than the credential reaches, on what it may see.
 */
export function faultBeyond({ actor, operation }: Attempt, { workspaceId, record }: ChosenPlace) {
  const { reach } = actor
  if (reach === undefined) return null
  if (operation.personal)
    return operation.reach === 'everything' ? commonFaults.credential_bound : null
  if (!reachesInto(reach, workspaceId)) return commonFaults.record_not_found
  // The workspace that the input names counts, not that of the record: the verb looks there.
  const isBeyond =
    record !== null && !reachesRecord(reach, { workspaceId, agentId: record.agentId })
  if (isBeyond) return commonFaults.record_not_found
  if (operation.reach === 'everything') return commonFaults.credential_bound
  const isWhole = reachesWorkspace(reach, workspaceId)
  return operation.reach === 'workspace' && !isWhole ? commonFaults.credential_bound : null
}
