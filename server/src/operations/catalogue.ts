import { accountOperations } from './accounts.ts'
import { acpKeyOperations, chatKeyOperations } from './agent-keys.ts'
import { actionOperations } from './actions.ts'
import { analyticsOperations } from './analytics.ts'
import { appVariableOperations } from './app-variables.ts'
import { appFolderOperations } from './app-folders.ts'
import { appOperations } from './apps.ts'
import { auditOperations } from './audit.ts'
import { billingOperations } from './billing.ts'
import { assistanceOperations } from './assistance.ts'
import { chatPageLookOperations } from './chat-page-look.ts'
import { chatPageOperations } from './chat-page.ts'
import { commerceSettingsOperations } from './commerce-settings.ts'
import { connectedAppOperations } from './connected-apps.ts'
import { creditCapOperations } from './credit-caps.ts'
import { operatorBillingOperations } from './credit-prices.ts'
import { conversationOperations } from './conversations.ts'
import { developerKeyOperations } from './developer-keys.ts'
import { jobOperations } from './jobs.ts'
import { keyRotationOperations } from './key-rotation.ts'
import { knowledgeOperations } from './knowledge.ts'
import { limitOperations } from './limits.ts'
import { mcpServerOperations } from './mcp-servers.ts'
import { memberOperations } from './members.ts'
import { memberSettingsOperations } from './member-settings.ts'
import type { Operation } from './operation.ts'
import { orderWebhookOperations } from './order-webhooks.ts'
import { orderOperations } from './orders.ts'
import { productOperations } from './products.ts'
import { providerOperations } from './providers.ts'
import { subscriptionOperations } from './subscriptions.ts'
import { agentTransferOperations } from './agent-transfer.ts'
import { unusedCredentialOperations } from './unused-credentials.ts'
import { workspaceOperations } from './workspaces.ts'
import { widgetOperations } from './widget.ts'

/** Every management operation, in the order the surfaces list them. */
export const operations: readonly Operation[] = [
  ...assistanceOperations,
  ...appOperations,
  ...appFolderOperations,
  ...agentTransferOperations,
  ...memberSettingsOperations,
  ...knowledgeOperations,
  ...actionOperations,
  ...appVariableOperations,
  ...mcpServerOperations,
  ...conversationOperations,
  ...analyticsOperations,
  ...chatKeyOperations,
  ...chatPageOperations,
  ...widgetOperations,
  ...chatPageLookOperations,
  ...productOperations,
  ...commerceSettingsOperations,
  ...acpKeyOperations,
  ...orderOperations,
  ...orderWebhookOperations,
  ...providerOperations,
  ...workspaceOperations,
  ...memberOperations,
  ...keyRotationOperations,
  ...auditOperations,
  ...jobOperations,
  ...limitOperations,
  ...billingOperations,
  ...creditCapOperations,
  ...subscriptionOperations,
  ...operatorBillingOperations,
  ...accountOperations,
  ...developerKeyOperations,
  ...connectedAppOperations,
  ...unusedCredentialOperations,
]

const byName = new Map(operations.map((operation) => [operation.name, operation]))

export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}
