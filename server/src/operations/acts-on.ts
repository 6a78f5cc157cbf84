import { actionWorkspace } from '#features/actions/index.ts'
import { agentWorkspace } from '#features/agents/index.ts'
import { keyWorkspace } from '#features/api-keys/index.ts'
import { productWorkspace } from '#features/catalog/index.ts'
import { conversationWorkspace } from '#features/conversations/index.ts'
import { sourceWorkspace } from '#features/knowledge/index.ts'
import { orderWorkspace } from '#features/orders/index.ts'
import { toolServerWorkspace } from '#features/tool-servers/index.ts'
import { webhookDeliveryWorkspace, webhookEndpointWorkspace } from '#features/webhooks/index.ts'

/** The records that operations name in their input, for `actsOn`. */

export const anAgent = { field: 'app_id', workspaceOf: agentWorkspace } as const
export const aKey = { field: 'id', workspaceOf: keyWorkspace } as const
export const aSource = { field: 'source_id', workspaceOf: sourceWorkspace } as const
export const anAction = { field: 'action_id', workspaceOf: actionWorkspace } as const
export const aToolServer = { field: 'server_id', workspaceOf: toolServerWorkspace } as const
export const aConversation = { field: 'session_id', workspaceOf: conversationWorkspace } as const
export const aProduct = { field: 'product_id', workspaceOf: productWorkspace } as const
export const anOrder = { field: 'id', workspaceOf: orderWorkspace } as const
export const aWebhookEndpoint = { field: 'id', workspaceOf: webhookEndpointWorkspace } as const
export const aWebhookDelivery = { field: 'id', workspaceOf: webhookDeliveryWorkspace } as const

/** Members, invitations and grants are found in a workspace or of a person that is known already. */
export const aMember = { field: 'user_id' } as const
export const itsId = { field: 'id' } as const
export const aProvider = { field: 'provider' } as const
