export interface VisitorsSchema {
  chat_pages: {
    agent_id: string
    workspace_id: string
    settings_json: string
    link_token: string
    generation: number
    created_at: number
    updated_at: number
  }
  chat_page_budgets: {
    agent_id: string
    /** Days since 1970, in UTC. */
    day: number
    messages: number
  }
}
