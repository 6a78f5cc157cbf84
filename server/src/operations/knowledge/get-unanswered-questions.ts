import { z } from 'zod'
import { listUnanswered } from '#features/analytics/index.ts'
import { anAgent } from '#operations/acts-on.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const unanswered = z.strictObject({
  question: z.string(),
  count: z.int(),
  others: z.array(z.string()).describe('Further wordings'),
  last_asked_at: timestamp,
  session_id: recordId,
})

export const getUnansweredQuestions = defineOperation({
  name: 'get_unanswered_questions',
  title: 'Get unanswered questions',
  description:
    'Lists the questions to which an agent’s knowledge had no answer, similar ones together. add_knowledge_source with kind answer answers one.',
  toolset: 'knowledge',
  scope: 'analytics:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    app_id: appId,
    days: z.int().min(1).max(365).default(30),
    limit: z.int().min(1).max(100).default(20),
    include_tests: z.boolean().default(false).describe('With the dashboard’s test chats'),
  }),
  output: listOf(unanswered),
  actsOn: anAgent,
  run: async (ctx, { workspaceId }, { app_id, include_tests, ...wanted }) => {
    const query = { ...wanted, appId: app_id, includeTests: include_tests }
    const items = await listUnanswered(ctx, workspaceId, query)
    return listAnswer({ items, nextCursor: null }, showAs(unanswered))
  },
})
