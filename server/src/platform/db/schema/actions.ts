export interface ActionsSchema {
  custom_actions: {
    id: string
    workspace_id: string
    agent_id: string
    name: string
    enabled: number
    definition_json: string
    last_test_json: string | null
    created_at: number
    updated_at: number
  }
}
