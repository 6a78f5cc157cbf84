import { agentPlace, placeOfOwned } from '#features/agents/index.ts'
import { placeOfRecord } from '#features/workspaces/index.ts'
import type { Context } from '#platform/context.ts'

const named = (table: Parameters<typeof placeOfRecord>[1]) => (ctx: Context, id: string) =>
  placeOfRecord(ctx, table, id)
const owned = (table: Parameters<typeof placeOfOwned>[1]) => (ctx: Context, id: string) =>
  placeOfOwned(ctx, table, id)

/** The records that operations name in their input, for `actsOn`. */

export const anAgent = { field: 'app_id', placeOf: agentPlace } as const
export const aKey = { field: 'id', placeOf: named('api_keys') } as const
export const aKnownSecret = { field: 'id', placeOf: named('known_secrets') } as const
export const aSource = { field: 'source_id', placeOf: owned('knowledge_sources') } as const
export const anAction = { field: 'action_id', placeOf: owned('custom_actions') } as const
export const aToolServer = { field: 'server_id', placeOf: owned('tool_servers') } as const
export const aConversation = { field: 'session_id', placeOf: named('chat_sessions') } as const
export const aProduct = { field: 'product_id', placeOf: named('products') } as const
export const anOrder = { field: 'id', placeOf: named('orders') } as const
export const aWebhookEndpoint = { field: 'id', placeOf: named('webhook_endpoints') } as const
export const aWebhookDelivery = { field: 'id', placeOf: named('webhook_deliveries') } as const

/** Members, invitations and grants are looked up within a known workspace or user. */
export const aMember = { field: 'user_id' } as const
export const itsId = { field: 'id' } as const
export const aProvider = { field: 'provider' } as const
