import { agentWorkspace, workspaceOfOwned } from '#features/agents/index.ts'
import { workspaceOfRecord } from '#features/workspaces/index.ts'
import type { Context } from '#platform/context.ts'

const named = (table: Parameters<typeof workspaceOfRecord>[1]) => (ctx: Context, id: string) =>
  workspaceOfRecord(ctx, table, id)
const owned = (table: Parameters<typeof workspaceOfOwned>[1]) => (ctx: Context, id: string) =>
  workspaceOfOwned(ctx, table, id)

/** The records that operations name in their input, for `actsOn`. */

export const anAgent = { field: 'app_id', workspaceOf: agentWorkspace } as const
export const aKey = { field: 'id', workspaceOf: named('api_keys') } as const
export const aSource = { field: 'source_id', workspaceOf: owned('knowledge_sources') } as const
export const anAction = { field: 'action_id', workspaceOf: owned('custom_actions') } as const
export const aToolServer = { field: 'server_id', workspaceOf: owned('tool_servers') } as const
export const aConversation = { field: 'session_id', workspaceOf: named('chat_sessions') } as const
export const aProduct = { field: 'product_id', workspaceOf: named('products') } as const
export const anOrder = { field: 'id', workspaceOf: named('orders') } as const
export const aWebhookEndpoint = { field: 'id', workspaceOf: named('webhook_endpoints') } as const
export const aWebhookDelivery = { field: 'id', workspaceOf: named('webhook_deliveries') } as const

/** Members, invitations and grants are looked up within a known workspace or user. */
export const aMember = { field: 'user_id' } as const
export const itsId = { field: 'id' } as const
export const aProvider = { field: 'provider' } as const
