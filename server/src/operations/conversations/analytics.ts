import { z } from 'zod'
import {
  eraseEndUser,
  getAppAnalytics,
  granularities,
  maxComment,
  rateAnswer,
  writeLocal,
  type AppAnalytics,
} from '#features/analytics/index.ts'
import { ratings } from '#features/conversations/index.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import { aConversation, anAgent } from '#operations/acts-on.ts'
import {
  appId,
  defineOperation,
  hints,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const counts = {
  sessions: z.int(),
  messages: z.int(),
  users: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost_micros: z.int(),
  unpriced_answers: z.int(),
  errors: z.int(),
  latency_p50_ms: z.int().nullable(),
  latency_p95_ms: z.int().nullable(),
  first_token_p50_ms: z.int().nullable(),
  ratings_up: z.int(),
  ratings_down: z.int(),
  unanswered: z.int(),
  action_calls: z.int(),
  action_errors: z.int(),
  orders: z.int(),
  revenue: z.record(z.string(), z.int()),
}

const figures = z.strictObject({
  app_id: recordId,
  from: z.iso.date(),
  to: z.iso.date(),
  time_zone: z.string(),
  totals: z.strictObject(counts),
  previous: z.strictObject(counts),
  series: z.array(z.strictObject({ start: z.string(), ...counts })),
  top_questions: z.array(z.strictObject({ question: z.string(), conversations: z.int() })),
  top_sources: z.array(
    z.strictObject({ source_id: recordId, title: z.string().nullable(), answers: z.int() }),
  ),
  top_models: z.array(
    z.strictObject({
      model: z.string(),
      turns: z.int(),
      share: z.number(),
      cost_micros: z.int().nullable(),
      unpriced_turns: z.int(),
    }),
  ),
  counted_until: timestamp,
})

const named = showAs(figures)

function show({ range, topSources, topModels, ...found }: AppAnalytics) {
  const series = found.series.map(({ startsAt, ...counted }) => ({
    start: writeLocal(startsAt, range.timeZone),
    ...counted,
  }))
  const lists = { topSources: topSources.map(snakeKeys), topModels: topModels.map(snakeKeys) }
  return named({ ...range, ...found, series, ...lists })
}

export const analyticsOperations = [
  defineOperation({
    name: 'get_app_analytics',
    title: 'Get agent analytics',
    description:
      'Shows the figures of an agent in total, for the same number of days before, and by period. Periods without activity are left out.',
    toolset: 'analytics',
    scope: 'analytics:read',
    hints: hints.read,
    quotesOthers: true,
    input: z.object({
      app_id: appId,
      from: z.iso.date().optional().describe('Default: 29 days before `to`'),
      to: z.iso.date().optional().describe('Included; default: today'),
      granularity: z.enum(granularities).default('day'),
      time_zone: z.string().max(64).default('UTC').describe('IANA name'),
      source: z.string().max(50).optional().describe('api, page, dashboard, …'),
      include_tests: z.boolean().default(false).describe('With the dashboard’s test chats'),
    }),
    output: figures,
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) => {
      const { app_id: appId, time_zone: timeZone, include_tests: includeTests, ...query } = input
      return show(
        await getAppAnalytics(ctx, workspaceId, { ...query, appId, timeZone, includeTests }),
      )
    },
  }),
  defineOperation({
    name: 'rate_answer',
    title: 'Rate answer',
    description:
      'Rates an answer of a conversation, by default the last one. null removes the rating.',
    toolset: 'analytics',
    scope: 'apps:write',
    hints: hints.update,
    audit: { notes: ['message_id', 'rating'] },
    surfaces: peopleOnly,
    input: z.object({
      session_id: recordId,
      message_id: recordId.optional(),
      rating: z.enum(ratings).nullable(),
      comment: z.string().trim().max(maxComment).optional(),
    }),
    output: z.strictObject({
      session_id: recordId,
      message_id: recordId,
      rating: z.enum(ratings).nullable(),
      comment: z.string().nullable(),
    }),
    actsOn: aConversation,
    run: async (ctx, { workspaceId }, input) => {
      const { session_id: sessionId, message_id: messageId = null, rating, comment = null } = input
      const given = { sessionId, messageId, rating, comment }
      return snakeKeys(await rateAnswer(ctx, { workspaceId }, given))
    },
  }),
  defineOperation({
    name: 'erase_end_user',
    title: 'Erase end user',
    description:
      'Deletes everything that an agent stored about an end user. Figures stay, and the audit log keeps proof.',
    toolset: 'analytics',
    scope: 'apps:write',
    role: 'admin',
    needsConfirmation: true,
    hints: hints.remove,
    audit: { writtenBy: 'verb' },
    surfaces: peopleOnly,
    input: z.object({ app_id: appId, end_user: z.string().min(1).max(512) }),
    output: z.strictObject({
      app_id: recordId,
      conversations: z.int(),
      messages: z.int(),
      ratings: z.int(),
      action_calls: z.int(),
      uploaded_files: z.int().describe('Files that belonged to this end user alone'),
      ledger_entries: z.int(),
      end_user_sha256: z.string(),
    }),
    actsOn: anAgent,
    run: async (ctx, { actor, workspaceId }, { app_id, end_user }) => {
      const user = { appId: app_id, endUser: end_user }
      const { agentId, ...erased } = await eraseEndUser(ctx, actor, workspaceId, user)
      return { app_id: agentId, ...erased }
    },
  }),
]
