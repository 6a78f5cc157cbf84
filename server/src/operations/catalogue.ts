import { accountOperations } from './people/accounts.ts'
import { acpKeyOperations, chatKeyOperations } from './agents/agent-keys.ts'
import { actionOperations } from './agents/actions.ts'
import { analyticsOperations } from './conversations/analytics.ts'
import { appVariableOperations } from './agents/app-variables.ts'
import { appFolderOperations } from './agents/app-folders.ts'
import { appOperations } from './agents/apps.ts'
import { auditOperations } from './workspaces/audit.ts'
import { billingOperations } from './workspaces/billing.ts'
import { assistanceOperations } from './agents/assistance.ts'
import { chatPageLookOperations } from './agents/chat-page-look.ts'
import { chatPageOperations } from './agents/chat-page.ts'
import { commerceSettingsOperations } from './commerce/commerce-settings.ts'
import { connectedAppOperations } from './people/connected-apps.ts'
import { creditCapOperations } from './workspaces/credit-caps.ts'
import { operatorBillingOperations } from './workspaces/credit-prices.ts'
import { conversationOperations } from './conversations/conversations.ts'
import { developerKeyOperations } from './people/developer-keys.ts'
import { jobOperations } from './workspaces/jobs.ts'
import { keyRotationOperations } from './people/key-rotation.ts'
import { knowledgeOperations } from './knowledge/knowledge.ts'
import { limitOperations } from './workspaces/limits.ts'
import { mcpServerOperations } from './agents/mcp-servers.ts'
import { memberOperations } from './people/members.ts'
import { memberSettingsOperations } from './people/member-settings.ts'
import type { Operation } from './operation.ts'
import { orderWebhookOperations } from './commerce/order-webhooks.ts'
import { orderOperations } from './commerce/orders.ts'
import { productOperations } from './commerce/products.ts'
import { providerOperations } from './workspaces/providers.ts'
import { subscriptionOperations } from './workspaces/subscriptions.ts'
import { agentTransferOperations } from './agents/agent-transfer.ts'
import { unusedCredentialOperations } from './people/unused-credentials.ts'
import { workspaceOperations } from './workspaces/workspaces.ts'
import { widgetOperations } from './agents/widget.ts'

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
