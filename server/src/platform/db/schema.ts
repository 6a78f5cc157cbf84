import type { Generated } from 'kysely'
import type { ActionsSchema } from './actions-schema.ts'
import type { AnalyticsSchema } from './analytics-schema.ts'
import type { BillingSchema } from './billing-schema.ts'
import type { CommerceSchema } from './commerce-schema.ts'
import type { IdentitySchema } from './identity-schema.ts'
import type { KnowledgeVectorsSchema } from './knowledge-vectors-schema.ts'
import type { PeopleSchema } from './people-schema.ts'

/**
 * Every table, as rows on both engines. Times are epoch milliseconds, flags are 0 or 1,
 * `*_json` columns hold JSON text. The statements are in `server/migrations/`.
 */
export interface Schema
  extends
    ActionsSchema,
    AnalyticsSchema,
    BillingSchema,
    CommerceSchema,
    IdentitySchema,
    PeopleSchema,
    KnowledgeVectorsSchema {
  meta: { key: string; value: string }
  sequences: { name: string; next_value: number }
  users: UsersTable
  setup_links: {
    hash: string
    user_id: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  workspaces: WorkspacesTable
  memberships: { workspace_id: string; user_id: string; role: string; created_at: number }
  agents: AgentsTable
  agent_versions: AgentVersionsTable
  api_keys: ApiKeysTable
  model_providers: ModelProvidersTable
  knowledge_sources: KnowledgeSourcesTable
  knowledge_documents: KnowledgeDocumentsTable
  knowledge_file_pieces: { source_id: string; ordinal: number; bytes: Uint8Array }
  knowledge_chunks: KnowledgeChunksTable
  knowledge_collections: KnowledgeCollectionsTable
  /** SQLite only: an FTS5 table over the analysed terms of a chunk; rowid is the chunk's id. */
  knowledge_index: { rowid: number; heading_terms: string; body_terms: string }
  /** PostgreSQL only: the same terms as postings, for BM25 from term statistics. */
  knowledge_postings: { collection_id: number; term: string; batch_id: number }
  chat_sessions: ChatSessionsTable
  chat_messages: ChatMessagesTable
  session_waiters: { ticket: string; session_id: string; expires_at: number }
  audit_events: AuditEventsTable
}

export interface UsersTable {
  id: string
  email: string
  name: string
  /** argon2id in PHC string form; null until the person has set one. */
  password_hash: string | null
  /** 0 where nothing shows that the address is the person's. */
  email_proven: Generated<number>
  created_at: number
  updated_at: number
}

export interface WorkspacesTable {
  id: string
  name: string
  plan: string
  created_at: number
  updated_at: number
  deleted_at: number | null
  deleted_by: Generated<string | null>
  /** From here on its rows are being deleted. */
  purge_began_at: Generated<number | null>
}

export interface AgentsTable {
  id: string
  workspace_id: string
  number: number
  app_name_id: string
  name: string
  settings_json: string
  version: number
  created_at: number
  updated_at: number
  deleted_at: number | null
  /** When what it knew and said was deleted. */
  purged_at: Generated<number | null>
}

export interface AgentVersionsTable {
  agent_id: string
  version: number
  settings_json: string
  author_id: string
  note: string | null
  created_at: number
}

export interface ApiKeysTable {
  id: string
  kind: 'chat' | 'developer' | 'acp'
  hash: string
  last4: string
  name: string
  workspace_id: string
  user_id: string
  agent_id: string | null
  scopes: string | null
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

export interface ModelProvidersTable {
  workspace_id: string
  provider: string
  base_url: string | null
  /** AES-256-GCM, sealed by the vault. */
  api_key_sealed: string | null
  created_at: number
  updated_at: number
}

export interface KnowledgeSourcesTable {
  id: string
  workspace_id: string
  agent_id: string
  kind: string
  title: string
  url: string | null
  status: string
  /** What is being done while it is `processing`; `storing` needs the process that began it. */
  stage: string | null
  /** Of the stage, in hundredths. */
  progress: Generated<number>
  error_code: string | null
  error_facts_json: string | null
  byte_length: number
  sha256: string
  filename: string | null
  media_type: string | null
  crawl_json: string | null
  refresh_every: string | null
  chunk_count: number
  token_count: number
  document_count: Generated<number>
  last_indexed_at: number | null
  next_refresh_at: number | null
  round_started_at: number | null
  /** The vector space that holds all of its chunks; null while some are missing. */
  vector_space_id: number | null
  embedded_token_count: Generated<number>
  created_at: number
  updated_at: number
}

/** A text, a file or a page of a source. */
export interface KnowledgeDocumentsTable {
  id: string
  source_id: string
  agent_id: string
  /** `building`, `ready`, or `retired`: replaced, its chunks not yet deleted. */
  status: string
  url: string | null
  title: string | null
  sha256: string | null
  etag: string | null
  last_modified: string | null
  links_json: string
  chunk_count: number
  token_count: number
  term_count: number
  page_count: number | null
  checked_at: number
  created_at: number
  updated_at: number
}

/** What one agent knows, as search counts it. */
export interface KnowledgeCollectionsTable {
  id: Generated<number>
  agent_id: string
  /** Chunks of sources that are ready. */
  chunk_count: number
  /** The terms of those chunks. */
  term_count: number
}

export interface KnowledgeChunksTable {
  id: Generated<number>
  source_id: string
  document_id: string
  agent_id: string
  ordinal: number
  heading: string
  page: number | null
  text: string
  token_count: number
  /** How many terms the analyser found: the document length of BM25. */
  term_count: number
}

export interface ChatSessionsTable {
  id: string
  workspace_id: string
  agent_id: string
  agent_version: number
  source: string
  end_user: string | null
  created_at: number
  last_message_at: number
  message_count: number
  /** Who answers now, and until when that claim holds unless renewed. */
  lease_token: string | null
  lease_until: number
}

export interface ChatMessagesTable {
  session_id: string
  seq: number
  id: string
  role: string
  /** The text, or for several parts the OpenAI content array as JSON in `parts_json`. */
  content: string
  parts_json: string | null
  model: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  latency_ms: number | null
  first_token_ms: number | null
  finish_reason: string | null
  /** Set when the answer is not whole: what cut it short. */
  error_code: string | null
  citations_json: string | null
  correlation_id: string | null
  created_at: number
}

export interface AuditEventsTable {
  id: string
  workspace_id: string | null
  user_id: string | null
  face: string
  via_kind: string | null
  via_id: string | null
  client: string | null
  action: string
  target: string | null
  outcome: string
  detail_json: string | null
  /** What a change changed, as it was and as it became. */
  before_json: Generated<string | null>
  after_json: Generated<string | null>
  /** Where a person did it from. */
  address: Generated<string | null>
  request_id: string | null
  created_at: number
}
