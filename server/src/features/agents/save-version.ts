import { Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { agentFaults } from './agent-faults.ts'
import type { AgentSettings } from './agent-settings.ts'
import { agentFromRow, type Agent } from './agent.ts'
import { insertVersion, updateAgentRow, type AgentRow } from './store.ts'

/** Options of every change of an agent. */
export interface VersionOptions {
  /** The version that the caller read; guards against overwriting someone else's change. */
  readonly expectedVersion?: number | undefined
  /** Why, for the list of versions. */
  readonly note?: string | null | undefined
}

/** A step. @throws Fault version_conflict */
export function requireExpectedVersion(row: AgentRow, { expectedVersion }: VersionOptions): void {
  if (expectedVersion === undefined || expectedVersion === row.version) return
  const facts = { expected: expectedVersion, actual: row.version }
  throw new Fault(agentFaults.version_conflict, facts)
}

/** A step: stores the settings as the agent's next version. */
export async function saveVersion(
  tx: Tx,
  row: AgentRow,
  change: {
    readonly settings: AgentSettings
    readonly authorId: string
    readonly note: string | null
    readonly now: number
  },
): Promise<Agent> {
  const settings_json = JSON.stringify(change.settings)
  const next = {
    name: change.settings.name,
    settings_json,
    version: row.version + 1,
    updated_at: change.now,
  }
  await updateAgentRow(tx, row.id, next)
  await insertVersion(tx, {
    agent_id: row.id,
    version: next.version,
    settings_json,
    author_id: change.authorId,
    note: change.note,
    created_at: change.now,
  })
  return agentFromRow({ ...row, ...next })
}
