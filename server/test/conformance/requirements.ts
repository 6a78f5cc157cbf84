import { acpRequirements } from './acp-requirements.ts'
import { chatRequirements } from './chat-requirements.ts'
import { dashboardRequirements } from './dashboard-requirements.ts'
import { mcpRequirements } from './mcp-requirements.ts'

/**
 * Every sentence of the interface document, in our words, by id. A test of one is `verifies(id,
 * …)`; `uncited.test.ts` fails if an id has no test.
 */
export const requirements = {
  ...chatRequirements,
  ...mcpRequirements,
  ...acpRequirements,
  ...dashboardRequirements,
} as const

export type RequirementId = keyof typeof requirements
