import { z } from 'zod'
import { getWorkspace } from '#features/workspaces/index.ts'
import { planNames, plans, type PlanLimits } from '#kernel/plan.ts'
import { defineOperation, hints, recordId } from './operation.ts'

const bound = z.int().nullable()

/** What a workspace's plan allows; null is unlimited. */
export const billingOperations = [
  defineOperation({
    name: 'get_subscription',
    title: 'Get subscription',
    description: "Shows a workspace's plan and what it allows.",
    toolset: 'billing',
    scope: 'billing:read',
    hints: hints.read,
    input: z.object({}),
    output: z.strictObject({
      workspace_id: recordId,
      plan: z.enum(planNames),
      chat_api: z.boolean().describe('Whether the chat API answers'),
      max_agents: bound,
      max_sources_per_agent: bound,
      max_members: bound,
      mcp_requests_per_minute: bound,
    }),
    run: async (ctx, { actor, workspaceId }) => {
      const { id, plan } = await getWorkspace(ctx, actor.userId, workspaceId)
      const limits: PlanLimits = plans[plan]
      return {
        workspace_id: id,
        plan,
        chat_api: limits.chatApi,
        max_agents: limits.agents,
        max_sources_per_agent: limits.sourcesPerAgent,
        max_members: limits.members,
        mcp_requests_per_minute: limits.mcpRequestsPerMinute,
      }
    },
  }),
]
