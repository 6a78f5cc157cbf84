import { camelKeys } from '#kernel/key-case.ts'
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
  // Operations show every field of an action, so no other column is copied.
  const { id, agent_id, workspace_id, created_at, updated_at } = row
  return {
    ...camelKeys({ id, agent_id, workspace_id, created_at, updated_at }),
    definition: actionDefinition.parse(JSON.parse(row.definition_json)),
    // Only this feature writes it, from the same type.
    lastTest: row.last_test_json === null ? null : (JSON.parse(row.last_test_json) as LastTest),
  }
}
