import { z } from 'zod'
import {
  agentsSearched,
  findConversations,
  getConversation,
  listConversations,
  ratings,
  type Conversation,
  type ConversationMessage,
} from '#features/conversations/index.ts'
import { callStatuses } from '#features/tool-calls/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { aConversation, anAgent } from '#operations/acts-on.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  moment,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const conversation = z.strictObject({
  id: recordId,
  app_id: recordId,
  app_name_id: z.string(),
  app_version: z.int().describe('The version that it started with'),
  source: z.string(),
  end_user: z.string().nullable(),
  message_count: z.int(),
  created_at: timestamp,
  last_message_at: timestamp,
})

const listed = conversation.extend({
  question: z.string().nullable().describe('The beginning of its first message'),
  rating: z.enum(ratings).nullable(),
})

const citation = z.strictObject({
  source_id: recordId,
  title: z.string(),
  url: z.string().nullable(),
  page: z.int().nullable(),
  heading: z.string(),
  passage: z.string(),
  score: z.number(),
  number: z.int().optional().describe('The answer cites it as [number]'),
})

const toolCall = z.strictObject({
  id: recordId,
  kind: z.string().describe('action or mcp'),
  name: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  status: z.enum(callStatuses),
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int().nullable(),
  response: z.string().nullable().describe('Its beginning'),
  created_at: timestamp,
})

const message = z.strictObject({
  id: recordId,
  seq: z.int(),
  role: z.string(),
  content: z.string().describe('All text of the message'),
  has_parts: z.boolean().describe('True if it contains more than text, such as images'),
  model: z.string().nullable(),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable().describe('Of prompt_tokens, those from the provider’s cache'),
  latency_ms: z.int().nullable(),
  first_token_ms: z.int().nullable(),
  finish_reason: z.string().nullable(),
  error_code: z.string().nullable().describe('Why the answer was cut short'),
  reasoning: z.string().nullable().describe('Its beginning, if the agent stores it'),
  citations: z.array(citation),
  tool_calls: z.array(toolCall).describe('Calls that the model made for this answer'),
  caller_calls: z
    .array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() }))
    .describe('Calls of tools that the calling program runs'),
  tool_call_id: z.string().nullable().describe('Of a result of such a call: the call'),
  is_refusal: z.boolean().describe('True if the content is or ends with a refusal of the model'),
  rating: z.enum(ratings).nullable(),
  comment: z.string().nullable(),
  cost_micros: z.int().nullable(),
  correlation_id: z.string().nullable(),
  created_at: timestamp,
})

const summary = z
  .strictObject({
    content: z.string(),
    covers_seq: z
      .int()
      .describe('The last message that it stands for; 0 in a branch if it stands for older ones'),
    model: z.string(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_micros: z.int(),
    created_at: timestamp,
  })
  .nullable()
  .describe('What the model reads in place of older messages; with the cost of all its versions')

const named = showAs(conversation)

function show(found: Conversation) {
  return named({ ...found, agentId: found.appId })
}

const showListed = showAs(listed)
const namedMessage = showAs(message)
const showCall = showAs(toolCall)
const showSummary = showAs(summary.unwrap())

function showMessage(found: ConversationMessage) {
  const callerCalls = [...found.callerCalls]
  return namedMessage({ ...found, callerCalls, toolCalls: found.actionCalls.map(showCall) })
}

export const conversationOperations = [
  defineOperation({
    name: 'list_conversations',
    title: 'List conversations',
    description: 'Lists the conversations of an agent that match all filters, newest first.',
    toolset: 'analytics',
    scope: 'analytics:read',
    hints: hints.read,
    quotesOthers: true,
    input: z.object({
      app_id: appId,
      query: z.string().trim().min(1).max(200).optional().describe('Words in its messages'),
      from: moment.optional().describe('Started at this time or later'),
      to: moment.optional().describe('Started before this time'),
      source: z.string().max(50).optional(),
      end_user: z.string().max(512).optional(),
      rating: z.enum(ratings).optional(),
      has_error: z.boolean().optional(),
      unanswered: z.boolean().optional(),
      model: z.string().max(200).optional(),
      min_messages: z.int().min(1).max(1_000_000).optional(),
      ...paging,
    }),
    output: listOf(listed),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) => {
      const { app_id, ...query } = input
      const page = await listConversations(ctx, workspaceId, app_id, camelKeys(query))
      return listAnswer(page, (found) => showListed({ ...found, agentId: found.appId }))
    },
  }),
  defineOperation({
    name: 'find_conversations',
    title: 'Find conversations',
    description: `Finds conversations of a workspace by their words, newest first: those of the ${agentsSearched} agents that were talked to last.`,
    toolset: 'analytics',
    scope: 'analytics:read',
    surfaces: peopleOnly,
    hints: hints.read,
    quotesOthers: true,
    input: z.object({
      query: z.string().trim().min(1).max(200).describe('Words in its messages'),
      limit: z.int().min(1).max(20).default(6),
    }),
    output: z.strictObject({ items: z.array(listed) }),
    run: async (ctx, { workspaceId, signal }, input) => {
      const items = await findConversations(ctx, workspaceId, input, signal)
      return { items: items.map((found) => showListed({ ...found, agentId: found.appId })) }
    },
  }),
  defineOperation({
    name: 'get_conversation',
    title: 'Get conversation',
    description: 'Shows a conversation and its messages, oldest first.',
    toolset: 'analytics',
    scope: 'analytics:read',
    hints: hints.read,
    quotesOthers: true,
    input: z.object({
      session_id: recordId.describe('id of a conversation, or chatSessionId of a chat answer'),
      ...paging,
    }),
    output: conversation.extend({ summary, messages: listOf(message) }),
    actsOn: aConversation,
    run: async (ctx, { workspaceId }, input) => {
      const { session_id, ...page } = input
      const found = await getConversation(ctx, workspaceId, session_id, page)
      const { messages, summary: memory, ...rest } = found
      return {
        ...show(rest),
        summary: memory === null ? null : showSummary(memory),
        messages: listAnswer(messages, showMessage),
      }
    },
  }),
]
