import { z } from 'zod'
import { agentWorkspace } from '#features/agents/index.ts'
import { getAppAnalytics } from '#features/analytics/index.ts'
import { appId, defineOperation, hints, recordId } from './operation.ts'

const counts = {
  sessions: z.int().describe('Conversations begun'),
  messages: z.int().describe('Of both sides'),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  errors: z.int().describe('Answers cut short'),
}

function showCounts(counted: {
  readonly sessions: number
  readonly messages: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly errors: number
}) {
  return {
    sessions: counted.sessions,
    messages: counted.messages,
    prompt_tokens: counted.promptTokens,
    completion_tokens: counted.completionTokens,
    errors: counted.errors,
  }
}

export const analyticsOperations = [
  defineOperation({
    name: 'get_app_analytics',
    title: 'Get agent analytics',
    description:
      'Counts an agent’s conversations, messages, tokens and errors by day, in UTC. Days on which nothing happened are left out.',
    toolset: 'analytics',
    scope: 'analytics:read',
    hints: hints.read,
    input: z.object({
      app_id: appId,
      from: z.iso.date().optional().describe('First day; default: 29 days before `to`'),
      to: z.iso.date().optional().describe('Last day; default: today'),
    }),
    output: z.strictObject({
      app_id: recordId,
      from: z.iso.date(),
      to: z.iso.date(),
      totals: z.strictObject(counts),
      days: z.array(z.strictObject({ date: z.iso.date(), ...counts })),
    }),
    locate: (ctx, input) => agentWorkspace(ctx, input.app_id),
    run: async (ctx, { workspaceId }, { app_id, from, to }) => {
      const found = await getAppAnalytics(ctx, workspaceId, { appId: app_id, from, to })
      return {
        app_id: found.agentId,
        from: found.from,
        to: found.to,
        totals: showCounts(found.totals),
        days: found.days.map((day) => ({ date: day.date, ...showCounts(day) })),
      }
    },
  }),
]
