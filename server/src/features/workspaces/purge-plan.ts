import type { Engine } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type Table = keyof Schema

/** Rows that depend on others, whose ids replace `@ids`. */
interface Hanging {
  readonly table: Table
  readonly where: string
  readonly only?: Engine
}

/** Rows of one agent or workspace, by their owner column. */
export interface Purged {
  readonly table: Table
  readonly by: 'agent_id' | 'workspace_id'
  /**
   * The column that identifies a row. Without it, rows are deleted by their place in the file, which is not
   * unique in a table with partitions.
   */
  readonly key?: 'id'
  /** Rows that depend on these by their `id`, and are deleted first. */
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

const ofSessions: readonly Hanging[] = [
  hanging('chat_messages', 'session_id'),
  hanging('session_waiters', 'session_id'),
  hanging('partial_answers', 'session_id'),
  hanging('chat_responses', 'session_id'),
  hanging('response_runs', 'session_id'),
  hanging('response_texts', 'session_id'),
  hanging('conversation_metadata', 'session_id'),
  hanging('session_summaries', 'session_id'),
  hanging('conversation_terms', 'session_id', 'postgres'),
  { table: 'conversation_index', where: `rowid in (${documentsOfSessions})`, only: 'sqlite' },
  hanging('conversation_documents', 'session_id', 'sqlite'),
  hanging('chat_feedback', 'session_id'),
  hanging('action_calls', 'session_id'),
]

/** An agent's conversations, figures, knowledge and actions: purged with the agent. */
export const contentsOfAgent: readonly Purged[] = [
  // Conversations that are being deleted: their rows no longer name the agent.
  ofAgent('deleted_sessions', ...ofSessions, hanging('chat_sessions', 'id')),
  ofAgent('chat_sessions', ...ofSessions),
  ofAgent('analytics_figures'),
  ofAgent('analytics_users'),
  ofAgent('analytics_questions'),
  ofAgent('analytics_citations'),
  ofAgent('analytics_models'),
  ofAgent(
    'knowledge_vector_spaces',
    hanging('knowledge_vectors', 'space_id'),
    hanging('knowledge_vector_blocks', 'space_id'),
  ),
  ofAgent('knowledge_chunks', hanging('knowledge_index', 'rowid', 'sqlite')),
  ofAgent(
    'knowledge_segments',
    hanging('knowledge_entries', 'segment_id'),
    hanging('knowledge_runs', 'segment_id'),
  ),
  ofAgent('knowledge_collections', hanging('knowledge_postings', 'collection_id', 'postgres')),
  ofAgent(
    'knowledge_sources',
    hanging('knowledge_file_pieces', 'source_id'),
    hanging('knowledge_file_objects', 'source_id'),
    hanging('knowledge_documents', 'source_id'),
  ),
  ofAgent('uploaded_files', hanging('uploaded_file_pieces', 'file_id')),
  ofAgent('custom_actions'),
  ofAgent('agent_variables'),
  ofAgent('tool_servers'),
  ofAgent('agent_drafts'),
  ofAgent('chat_page_budgets'),
  ofAgent('widget_loads'),
  ofAgent('joined_visitors'),
  ofAgent('known_secrets'),
  ofAgent('chat_pages'),
]

/** An agent's orders, products and versions: purged with its workspace. */
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
 * Rows of the workspace itself. The memberships are last: as long as they exist, the workspace and
 * its members can still be looked up.
 */
export const contentsOfWorkspace: readonly Purged[] = [
  // Before the ledger: a late event of the payment provider would otherwise book an entry that nothing
  // deletes once the workspace is gone.
  ofWorkspace('billing_checkouts'),
  ofWorkspace('subscriptions'),
  ofWorkspace('credit_reservations'),
  ofWorkspace('credit_windows'),
  ofWorkspace('credit_caps'),
  ofWorkspace('credit_entries'),
  ofWorkspace('credit_days'),
  ofWorkspace('oauth_grants', hanging('oauth_tokens', 'grant_id')),
  ofWorkspace('authorization_requests'),
  ofWorkspace('api_keys'),
  ofWorkspace('model_providers'),
  ofWorkspace('invitations', hanging('email_links', 'invitation_id')),
  ofWorkspace('held_slugs'),
  ofWorkspace('chat_domain_days'),
  ofWorkspace('jobs'),
  ofWorkspace('agents'),
  // After the agents: without them, the roll-up cannot add it again.
  ofWorkspace('workspace_usage'),
  { table: 'audit_events', by: 'workspace_id', key: 'id' },
  ofWorkspace('memberships'),
]
