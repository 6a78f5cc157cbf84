import { appOperations } from './apps.ts'
import { chatKeyOperations } from './chat-keys.ts'
import { connectedAppOperations } from './connected-apps.ts'
import { conversationOperations } from './conversations.ts'
import { developerKeyOperations } from './developer-keys.ts'
import { knowledgeOperations } from './knowledge.ts'
import type { Operation } from './operation.ts'
import { providerOperations } from './providers.ts'
import { workspaceOperations } from './workspaces.ts'

/** Every management operation, in the order the faces list them. */
export const operations: readonly Operation[] = [
  ...appOperations,
  ...knowledgeOperations,
  ...conversationOperations,
  ...chatKeyOperations,
  ...providerOperations,
  ...workspaceOperations,
  ...developerKeyOperations,
  ...connectedAppOperations,
]

const byName = new Map(operations.map((operation) => [operation.name, operation]))

export function findOperation(name: string): Operation | undefined {
  return byName.get(name)
}
