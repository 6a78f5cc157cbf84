import { actionDefinition, type ActionDefinition } from './request/action-definition.ts'
import type { ActionRow } from './store.ts'

/** One HTTP request that an agent's model can ask for. */
export interface Action {
  readonly id: string
  readonly agentId: string
  readonly workspaceId: string
  readonly definition: ActionDefinition
  readonly lastTest: LastTest | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The result of the last test by a person. */
export interface LastTest {
  readonly ok: boolean
  readonly httpStatus: number | null
  readonly durationMs: number
  /** Epoch milliseconds. */
  readonly at: number
}

export function actionFromRow(row: ActionRow): Action {
  return {
    id: row.id,
    agentId: row.agent_id,
    workspaceId: row.workspace_id,
    definition: actionDefinition.parse(JSON.parse(row.definition_json)),
    lastTest: row.last_test_json === null ? null : readLastTest(row.last_test_json),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function readLastTest(json: string): LastTest {
  // Only this feature writes it, from the same type.
  return JSON.parse(json) as LastTest
}
