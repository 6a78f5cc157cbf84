import { z } from 'zod'
import {
  entryKinds,
  getCredits,
  listCreditTransactions,
  type CreditTransaction,
} from '#features/credits/index.ts'
import { getSubscriptionPayment } from '#features/subscriptions/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import { planNames, plans, type PlanLimits } from '#kernel/plan.ts'
import { creditsOf, creditsOrNull } from './credits.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  moment,
  paging,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const bound = z.int().nullable()

const getSubscription = defineOperation({
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
    chat_api: z.boolean().describe('Whether the chat API is available'),
    max_agents: bound,
    max_sources_per_agent: bound,
    max_members: bound,
    mcp_requests_per_minute: bound,
    payment: z
      .strictObject({
        status: z.string(),
        period_ends_at: timestamp.nullable(),
        ends_at: timestamp.nullable().describe('When it ends, if it was canceled'),
      })
      .nullable()
      .describe('null: no paid subscription'),
  }),
  run: async (ctx, { actor, workspaceId }) => {
    const { id, plan } = await getWorkspace(ctx.db.read, actor.userId, workspaceId)
    const limits: PlanLimits = plans[plan]
    const ownRate = ctx.config.mcpRateLimits[plan]
    const payment = await getSubscriptionPayment(ctx, workspaceId)
    return {
      workspace_id: id,
      plan,
      chat_api: limits.chatApi,
      max_agents: limits.agents,
      max_sources_per_agent: limits.sourcesPerAgent,
      max_members: limits.members,
      mcp_requests_per_minute: ownRate === undefined ? limits.mcpRequestsPerMinute : ownRate,
      payment: payment === null ? null : snakeKeys(payment),
    }
  },
})

const showCredits = defineOperation({
  name: 'get_credits',
  title: 'Get credits',
  description:
    'Shows the credits that a workspace has left and has used this month. null is unlimited.',
  toolset: 'billing',
  scope: 'billing:read',
  hints: hints.read,
  input: z.object({}),
  output: z.strictObject({
    balance: z.number().nullable(),
    shared: z
      .number()
      .describe('Unused included credits of the owner’s other workspaces, usable here too'),
    reserved: z.number().describe('Part of it that running answers hold'),
    included: z.number().nullable().describe('Granted every month'),
    used_this_month: z.number(),
    month_ends_at: timestamp,
  }),
  run: async (ctx, { workspaceId }) => {
    const found = await getCredits(ctx, workspaceId)
    return {
      balance: creditsOrNull(found.balanceMicros),
      shared: creditsOf(found.sharedMicros),
      reserved: creditsOf(found.reservedMicros),
      included: creditsOrNull(found.includedMicros),
      used_this_month: creditsOf(found.usedThisMonthMicros),
      month_ends_at: found.monthEndsAt,
    }
  },
})

const transaction = z.strictObject({
  id: z.string(),
  kind: z.enum(entryKinds),
  credits: z.number().describe('Negative for use'),
  app_id: z.string().nullable(),
  session_id: z.string().nullable(),
  message_id: z.string().nullable(),
  key_id: z.string().nullable(),
  end_user: z.string().nullable(),
  model: z.string().nullable(),
  prompt_tokens: bound,
  completion_tokens: bound,
  cached_tokens: bound.describe('Of prompt_tokens, those from the provider’s cache'),
  note: z.string().nullable(),
  created_at: timestamp,
})

const named = showAs(transaction)

function showTransaction(found: CreditTransaction) {
  return named({ ...found, credits: creditsOf(found.amountMicros) })
}

const listTransactions = defineOperation({
  name: 'list_credit_transactions',
  title: 'List credit transactions',
  description: 'Lists granted and used credits, newest first.',
  toolset: 'billing',
  scope: 'billing:read',
  hints: hints.read,
  quotesOthers: true,
  input: z.object({
    from: moment.optional(),
    to: moment.optional().describe('Before this time'),
    kind: z.enum(entryKinds).optional(),
    ...paging,
  }),
  output: listOf(transaction),
  run: async (ctx, { workspaceId }, { from, to, kind, ...page }) =>
    listAnswer(
      await listCreditTransactions(ctx, { workspaceId, from, to, kind }, page),
      showTransaction,
    ),
})

export const billingOperations = [getSubscription, showCredits, listTransactions]
