export interface VisitorsSchema {
  chat_pages: {
    agent_id: string
    workspace_id: string
    settings_json: string
    link_token: string
    /** Null for a page that an earlier release has set up. */
    widget_key: string | null
    /** Sealed. With it, the host's server signs who its visitors are. */
    identity_sealed: string | null
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
  widget_loads: {
    agent_id: string
    workspace_id: string
    /** Days since 1970, in UTC. */
    day: number
    /** The site; empty for all sites that may not embed the widget. */
    origin: string
    loads: number
    visits: number
  }
}
