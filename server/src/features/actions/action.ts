import { actionDefinition, type ActionDefinition } from './request/action-definition.ts'
import type { ActionRow } from './store.ts'

/** Something that an agent can do: one HTTP request, made when the model asks for it. */
export interface Action {
  readonly id: string
  readonly agentId: string
  readonly workspaceId: string
  readonly definition: ActionDefinition
  readonly lastTest: LastTest | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** How the last try by a person went. */
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
    definition: readDefinition(row.definition_json),
    lastTest: row.last_test_json === null ? null : readLastTest(row.last_test_json),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function readLastTest(json: string): LastTest {
  // Written by this feature alone, from the same type.
  return JSON.parse(json) as LastTest
}

// Keyed by the text itself, so an entry is never out of date: only bounded.
const parsed = new Map<string, ActionDefinition>()
const parsedLimit = 500

/** A definition from its stored JSON, parsed once for each distinct text. */
function readDefinition(json: string): ActionDefinition {
  const known = parsed.get(json)
  if (known !== undefined) return known
  const definition = actionDefinition.parse(JSON.parse(json))
  const oldest = parsed.size < parsedLimit ? undefined : parsed.keys().next().value
  if (oldest !== undefined) parsed.delete(oldest)
  parsed.set(json, definition)
  return definition
}
