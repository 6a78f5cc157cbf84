import type { Reader } from '#platform/db/database.ts'
import type { ActionDefinition } from './request/action-definition.ts'
import { actionFromRow } from './action.ts'
import { listActionRows } from './store.ts'

/**
 * The actions of an agent as another agent can be given them, in the order in which they were made.
 * The agent must have been found in the workspace first.
 */
export async function readPortableActions(
  reader: Reader,
  agentId: string,
): Promise<ActionDefinition[]> {
  const rows = await listActionRows(reader, agentId, all)
  return rows.toReversed().map((row) => actionFromRow(row).definition)
}

/** More than an agent can have. */
const all = { limit: 1000, before: undefined }
