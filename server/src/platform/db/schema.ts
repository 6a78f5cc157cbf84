import type { ActionsSchema } from './schema/actions.ts'
import type { AgentsSchema } from './schema/agents.ts'
import type { AnalyticsSchema } from './schema/analytics.ts'
import type { ApiKeysSchema } from './schema/api-keys.ts'
import type { AuditSchema } from './schema/audit.ts'
import type { CatalogSchema } from './schema/catalog.ts'
import type { CheckoutSchema } from './schema/checkout.ts'
import type { ConversationsSchema } from './schema/conversations.ts'
import type { CreditsSchema } from './schema/credits.ts'
import type { EmbeddingsSchema } from './schema/embeddings.ts'
import type { FullTextSchema } from './schema/full-text.ts'
import type { GrantsSchema } from './schema/grants.ts'
import type { IdentitySchema } from './schema/identity.ts'
import type { IngestionSchema } from './schema/ingestion.ts'
import type { JobsSchema } from './schema/jobs.ts'
import type { KnowledgeSchema } from './schema/knowledge.ts'
import type { MembersSchema } from './schema/members.ts'
import type { OrdersSchema } from './schema/orders.ts'
import type { PaymentsSchema } from './schema/payments.ts'
import type { ProvidersSchema } from './schema/providers.ts'
import type { ResponsesSchema } from './schema/responses.ts'
import type { SecondFactorsSchema } from './schema/second-factors.ts'
import type { SubscriptionsSchema } from './schema/subscriptions.ts'
import type { ToolCallsSchema } from './schema/tool-calls.ts'
import type { ToolServersSchema } from './schema/tool-servers.ts'
import type { TurnsSchema } from './schema/turns.ts'
import type { UploadedFilesSchema } from './schema/uploaded-files.ts'
import type { VariablesSchema } from './schema/variables.ts'
import type { VisitorsSchema } from './schema/visitors.ts'
import type { WebhooksSchema } from './schema/webhooks.ts'
import type { WorkspacesSchema } from './schema/workspaces.ts'

/**
 * Every table, as rows on both engines, in a file for each feature that writes it. Times are epoch
 * milliseconds, flags are 0 or 1, `*_json` columns hold JSON text. The statements are in
 * `server/migrations/`.
 */
export interface Schema
  extends
    ActionsSchema,
    AgentsSchema,
    AnalyticsSchema,
    ApiKeysSchema,
    AuditSchema,
    CatalogSchema,
    CheckoutSchema,
    ConversationsSchema,
    CreditsSchema,
    EmbeddingsSchema,
    FullTextSchema,
    GrantsSchema,
    IdentitySchema,
    IngestionSchema,
    JobsSchema,
    KnowledgeSchema,
    MembersSchema,
    OrdersSchema,
    PaymentsSchema,
    ProvidersSchema,
    ResponsesSchema,
    SecondFactorsSchema,
    SubscriptionsSchema,
    ToolCallsSchema,
    ToolServersSchema,
    TurnsSchema,
    UploadedFilesSchema,
    VariablesSchema,
    VisitorsSchema,
    WebhooksSchema,
    WorkspacesSchema {
  meta: { key: string; value: string }
  sequences: { name: string; next_value: number }
}
