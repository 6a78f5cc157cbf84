import type { Engine } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type Table = keyof Schema

/** Rows that hang on others: on those whose ids stand for `@ids`. */
interface Hanging {
  readonly table: Table
  readonly where: string
  readonly only?: Engine
}

/** Rows of one agent or workspace, by the column that says whose they are. */
export interface Purged {
  readonly table: Table
  readonly by: 'agent_id' | 'workspace_id'
  /** Deleted before the rows that they hang on; those have an `id`. */
  readonly with?: readonly Hanging[]
}

function hanging(table: Table, column: string, only?: Engine): Hanging {
  return { table, where: `${column} in (@ids)`, ...(only === undefined ? {} : { only }) }
}

function ofAgent(table: Table, ...rows: readonly Hanging[]): Purged {
  return { table, by: 'agent_id', ...(rows.length === 0 ? {} : { with: rows }) }
}

function ofWorkspace(table: Table, ...rows: readonly Hanging[]): Purged {
  return { table, by: 'workspace_id', ...(rows.length === 0 ? {} : { with: rows }) }
}

const documentsOfSessions = 'select id from conversation_documents where session_id in (@ids)'

/** What an agent said, knew and could do: it goes with the agent. */
export const contentsOfAgent: readonly Purged[] = [
  ofAgent(
    'chat_sessions',
    hanging('chat_messages', 'session_id'),
    hanging('session_waiters', 'session_id'),
    hanging('conversation_terms', 'session_id', 'postgres'),
    { table: 'conversation_index', where: `rowid in (${documentsOfSessions})`, only: 'sqlite' },
    hanging('conversation_documents', 'session_id', 'sqlite'),
    hanging('chat_feedback', 'session_id'),
    hanging('action_calls', 'session_id'),
  ),
  ofAgent('analytics_figures'),
  ofAgent('analytics_users'),
  ofAgent('analytics_questions'),
  ofAgent('analytics_citations'),
  ofAgent('knowledge_vector_spaces', hanging('knowledge_vectors', 'space_id')),
  ofAgent('knowledge_chunks', hanging('knowledge_index', 'rowid', 'sqlite')),
  ofAgent('knowledge_collections', hanging('knowledge_postings', 'collection_id', 'postgres')),
  ofAgent(
    'knowledge_sources',
    hanging('knowledge_file_pieces', 'source_id'),
    hanging('knowledge_documents', 'source_id'),
  ),
  ofAgent('custom_actions'),
  ofAgent('agent_variables'),
  ofAgent('tool_servers'),
]

/** What it sold, and what it was: that outlives the agent and goes with its workspace. */
export const recordsOfAgent: readonly Purged[] = [
  ofAgent('webhook_deliveries'),
  ofAgent('webhook_endpoints'),
  ofAgent(
    'checkout_sessions',
    hanging('orders', 'session_id'),
    // A refund refers to its charge.
    { table: 'payments', where: 'refund_of is not null and session_id in (@ids)' },
    hanging('payments', 'session_id'),
  ),
  ofAgent('order_numbers'),
  ofAgent('products', hanging('product_terms', 'product_id')),
  ofAgent('commerce_settings'),
  ofAgent('agent_versions'),
]

/**
 * What belongs to no single agent. The memberships are last: as long as they are there, whoever looks
 * finds what is being deleted and by whom.
 */
export const contentsOfWorkspace: readonly Purged[] = [
  // Before the ledger: what the payment provider still says of them would be booked to it, where it
  // could not be deleted once its workspace is gone.
  ofWorkspace('billing_checkouts'),
  ofWorkspace('subscriptions'),
  ofWorkspace('credit_reservations'),
  ofWorkspace('credit_windows'),
  ofWorkspace('credit_caps'),
  ofWorkspace('credit_entries'),
  ofWorkspace('oauth_grants', hanging('oauth_tokens', 'grant_id')),
  ofWorkspace('authorization_requests'),
  ofWorkspace('api_keys'),
  ofWorkspace('model_providers'),
  ofWorkspace('invitations'),
  ofWorkspace('jobs'),
  ofWorkspace('agents'),
  ofWorkspace('audit_events'),
  ofWorkspace('memberships'),
]

/** Tables whose rows belong to no workspace, or go by themselves within a day. */
export const ofNoWorkspace = [
  'meta',
  'sequences',
  'users',
  'setup_links',
  'sign_in_sessions',
  'external_identities',
  'oauth_clients',
  'rate_limits',
  'watermarks',
  'credit_prices',
  'billing_events',
  // Kept for a day, by what a caller is known by.
  'idempotency_records',
  // Deleted last, by itself.
  'workspaces',
  'schema_migrations',
] as const
