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
    /** Another name in the page's address than the agent's; null for none. */
    slug: string | null
    /** In lower case and Punycode; null for none. */
    domain: string | null
    /** `lost`: it was served, and its proof is gone. */
    domain_state: 'waiting' | 'served' | 'lost' | null
    /** When the domain was entered, or its proof was lost. */
    domain_changed_at: number | null
    domain_checked_at: number | null
    /** Since when a served domain has had no proof. */
    domain_failing_since: number | null
    /** Why the last check did not prove the domain. */
    domain_problem: 'no_record' | 'other_record' | 'no_answer' | 'in_use' | null
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
  /** Names of pages that were given up, which nobody else can take for some time. */
  held_slugs: { slug: string; workspace_id: string; released_at: number }
  /** How many domains a workspace has entered on its last day with one. */
  chat_domain_days: {
    workspace_id: string
    /** Days since 1970, in UTC. */
    day: number
    domains: number
  }
  /** Anonymous visitors of a widget whom the host has identified, until their last turn has ended. */
  joined_visitors: { agent_id: string; visitor: string; end_user: string; ends_at: number }
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
