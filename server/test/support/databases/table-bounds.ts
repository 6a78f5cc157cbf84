import type { variables } from '#config'
import { sweepExpiredGrants } from '#features/grants/index.ts'
import { sweepSessions } from '#features/identity/index.ts'
import { expireUploads } from '#features/files/index.ts'
import { pruneAccounts, pruneEndedRecords } from '#features/pruning/index.ts'
import type { fixedLimits, limits } from '#kernel/limits.ts'

type Limit = keyof typeof limits | keyof typeof fixedLimits
type Setting = keyof typeof variables

/** What bounds the rows of a table. Each part is checked to exist, by the compiler or in the database. */
export type Bound =
  /** A limit of records, or a setting. */
  | { readonly limit: Limit }
  | { readonly setting: Setting }
  /** At most one row for each value of the columns, which a unique key shows; `of` are bounded tables. */
  | { readonly onePer: readonly string[]; readonly of: readonly string[] }
  /** Rows of another table's rows: the column refers to it, and they are deleted with it. */
  | { readonly partOf: string; readonly by: string }
  /** A job deletes them after their end. */
  | { readonly endedBy: { readonly kind: string } }
  /** A column with the time of their end, after which code deletes them. */
  | { readonly expires: string }
  /** Only the operator, the payment provider or the service itself adds rows. */
  | { readonly addedBy: 'operator' | 'payment provider' | 'service' }

const one = (of: string, ...onePer: readonly string[]): Bound => ({ onePer, of: [of] })
const part = (partOf: string, by: string): Bound => ({ partOf, by })
const limited = (limit: Limit): Bound => ({ limit })
const set = (setting: Setting): Bound => ({ setting })
const service: Bound = { addedBy: 'service' }

export const tableBounds: Readonly<Record<string, Bound>> = {
  action_calls: part('chat_sessions', 'session_id'),
  agent_drafts: one('agents', 'agent_id'),
  agent_variables: limited('variables_per_agent'),
  agent_versions: set('AGENT_VERSIONS_KEPT'),
  agents: limited('agents_per_workspace'),
  analytics_citations: one('agents', 'agent_id', 'day', 'source_id'),
  analytics_figures: one('agents', 'agent_id', 'span_minutes', 'starts_at', 'source'),
  analytics_models: one('agents', 'agent_id', 'day', 'model', 'source'),
  analytics_questions: one('agents', 'agent_id', 'day', 'question'),
  analytics_users: limited('counted_users_per_workspace'),
  api_keys: limited('keys_per_workspace'),
  audit_chains: one('workspaces', 'chain'),
  audit_events: set('CHANGES_PER_DAY'),
  authorization_requests: { endedBy: sweepExpiredGrants },
  billing_checkouts: { endedBy: pruneEndedRecords },
  billing_events: { addedBy: 'payment provider' },
  chat_domain_days: one('workspaces', 'workspace_id'),
  chat_feedback: one('chat_messages', 'message_id'),
  chat_messages: limited('messages_per_workspace'),
  chat_page_budgets: one('agents', 'agent_id'),
  chat_pages: one('agents', 'agent_id'),
  chat_responses: part('chat_sessions', 'session_id'),
  chat_sessions: limited('messages_per_workspace'),
  checkout_sessions: set('CHECKOUTS_PER_DAY'),
  commerce_settings: one('agents', 'agent_id'),
  conversation_documents: part('chat_sessions', 'session_id'),
  conversation_index: service,
  conversation_metadata: one('chat_sessions', 'session_id'),
  conversation_terms: service,
  credit_caps: limited('credit_caps_per_workspace'),
  credit_days: one('workspaces', 'workspace_id', 'day'),
  credit_entries: set('TURNS_PER_DAY'),
  credit_prices: { addedBy: 'operator' },
  credit_reservations: { expires: 'expires_at' },
  credit_shares: one('users', 'user_id', 'month', 'recipient_id'),
  credit_windows: { expires: 'ends_at' },
  custom_actions: limited('actions_per_agent'),
  deleted_sessions: part('chat_sessions', 'id'),
  email_links: { endedBy: sweepSessions },
  external_identities: part('users', 'user_id'),
  factor_challenges: { endedBy: sweepSessions },
  half_sign_ins: { endedBy: sweepSessions },
  held_slugs: set('SLUGS_HELD'),
  idempotency_records: { expires: 'expires_at' },
  invitations: limited('invitations_per_workspace'),
  job_runners: service,
  joined_visitors: { endedBy: pruneEndedRecords },
  jobs: limited('queued_sources_per_workspace'),
  knowledge_chunks: limited('chunks_per_workspace'),
  knowledge_collections: one('agents', 'agent_id'),
  knowledge_documents: limited('chunks_per_workspace'),
  knowledge_entries: part('knowledge_segments', 'segment_id'),
  knowledge_file_objects: one('knowledge_sources', 'source_id'),
  knowledge_file_pieces: limited('storage_bytes_per_workspace'),
  knowledge_index: service,
  knowledge_postings: service,
  knowledge_runs: part('knowledge_segments', 'segment_id'),
  knowledge_segments: limited('chunks_per_workspace'),
  knowledge_sources: limited('sources_per_agent'),
  knowledge_terms: service,
  knowledge_vector_blocks: part('knowledge_vector_spaces', 'space_id'),
  knowledge_vector_index: service,
  knowledge_vector_spaces: part('agents', 'agent_id'),
  knowledge_vectors: one('knowledge_chunks', 'space_id', 'chunk_id'),
  known_secrets: { onePer: ['agent_id', 'kind', 'user_id'], of: ['agents', 'users'] },
  memberships: limited('members_per_workspace'),
  meta: service,
  model_providers: limited('providers_per_workspace'),
  oauth_clients: { endedBy: sweepExpiredGrants },
  oauth_grants: set('GRANTS_PER_PERSON'),
  oauth_tokens: { endedBy: sweepExpiredGrants },
  object_deletions: { setting: 'MOVED_FILE_DAYS' },
  openid_logouts: { endedBy: sweepSessions },
  order_numbers: one('agents', 'agent_id'),
  orders: set('CHECKOUTS_PER_DAY'),
  partial_answers: part('chat_sessions', 'session_id'),
  payments: part('checkout_sessions', 'session_id'),
  product_terms: part('products', 'product_id'),
  products: limited('products_per_agent'),
  rate_limits: { expires: 'expire' },
  recovery_codes: part('users', 'user_id'),
  response_runs: set('MAX_BACKGROUND_RESPONSES'),
  response_texts: part('chat_responses', 'response_id'),
  schema_migrations: service,
  second_factors: part('users', 'user_id'),
  sequences: service,
  session_summaries: one('chat_sessions', 'session_id'),
  session_waiters: set('SESSION_QUEUE_LIMIT'),
  setup_links: { addedBy: 'operator' },
  sign_in_sessions: set('SESSIONS_PER_PERSON'),
  subscriptions: one('workspaces', 'workspace_id'),
  tool_servers: limited('mcp_servers_per_agent'),
  uploaded_file_pieces: limited('storage_bytes_per_workspace'),
  uploaded_files: { endedBy: expireUploads },
  users: { endedBy: pruneAccounts },
  watermarks: service,
  webhook_deliveries: set('WEBHOOK_DELIVERY_DAYS'),
  webhook_endpoints: limited('webhooks_per_agent'),
  widget_loads: one('agents', 'agent_id', 'day', 'origin'),
  workspace_usage: one('workspaces', 'workspace_id'),
  workspaces: limited('workspaces_per_person'),
}
