import { z } from 'zod'
import { answer, json, parameter, schemaOf, text, type Endpoint } from '#surfaces/http/open-api.ts'
import { chatRefusals } from '#surfaces/chat/fault-table.ts'
import { compactedItem, outputItem, storedItem } from './open-api-items.ts'

/** The Responses API as far as this contract describes it; Open Responses 2026-04-24 has all shapes. */

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

const part = z.union([
  z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
  }),
  z.object({
    type: z.literal('input_file'),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
])

const item = z.union([
  z.object({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(part)]),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
  z.object({ type: z.literal('item_reference').optional(), id: z.string().regex(/^(msg|fc|rs)_/) }),
  z.object({
    type: z.literal('function_call'),
    call_id: z.string().min(1).max(256),
    name: toolName,
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('function_call_output'),
    call_id: z.string().min(1).max(256),
    output: z.union([z.string(), z.array(part)]),
  }),
  z.object({ type: z.literal('compaction'), encrypted_content: z.string() }),
  z.object({ type: z.literal('reasoning') }).describe('Not read again'),
])

const tool = z.object({
  type: z.literal('function'),
  name: toolName,
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
  async: z.literal(false).nullish(),
  defer_loading: z.literal(false).nullish(),
  allowed_callers: z.array(z.string()).nullish().describe('Must contain direct'),
  output_schema: z.looseObject({}).nullish().describe('Without effect'),
})

const named = z.object({ type: z.literal('function'), name: toolName })

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  named,
  z.object({
    type: z.literal('allowed_tools'),
    mode: z.enum(['none', 'auto', 'required']).optional(),
    tools: z.array(named).min(1),
  }),
])

const format = z.union([
  z.object({ type: z.enum(['text', 'json_object']) }),
  z.object({
    type: z.literal('json_schema'),
    name: toolName,
    description: z.string().nullish(),
    schema: z.looseObject({}),
    strict: z.boolean().nullish(),
  }),
])

/** The body that `readResponseRequest` accepts. */
const requestBody = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: z.literal(false).nullish() }).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_options: z.looseObject({}).nullish(),
  prompt_cache_retention: z.string().nullish(),
  include: z.array(z.literal('reasoning.encrypted_content')).nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .object({ format: format.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  reasoning: z.object({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  truncation: z.literal('auto').nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  top_logprobs: z.literal(0).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
})

const response = z.looseObject({
  id: z.string().regex(/^resp_/),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  model: z.string(),
  output: z.array(outputItem),
  conversation: z.object({ id: z.string().regex(/^conv_/) }).nullable(),
})

export const itemsPage = z.object({
  object: z.literal('list'),
  data: z.array(storedItem),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

const deleted = z.object({ id: z.string(), object: z.literal('response'), deleted: z.boolean() })

export const itemsBody = z.strictObject({ items: z.array(item).min(1) })
export const conversationBody = z.strictObject({
  items: z.array(item).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
})
const compactBody = requestBody.pick({
  model: true,
  previous_response_id: true,
  instructions: true,
  prompt_cache_key: true,
  prompt_cache_retention: true,
})
const compacted = z.looseObject({
  id: z.string().regex(/^resp_/),
  object: z.literal('response.compaction'),
  output: z.array(compactedItem),
})

const responseId = parameter('path', 'id', 'The id of a response')
const stored = [400, 401, 404, 405, 429, 500, 503]

const whole = answer('The response; a stream of events where `stream` is true', response)

export const responseEndpoints: readonly Endpoint[] = [
  {
    method: 'post',
    path: '/api/v1/responses',
    id: 'create_response',
    summary: 'Send input to an agent',
    parameters: [],
    body: json(schemaOf(requestBody, 'input')),
    answers: {
      200: {
        ...whole,
        content: { ...Object(whole.content), 'text/event-stream': { schema: text } },
      },
    },
    refusals: [...new Set(chatRefusals.map(({ status }) => status))].toSorted(),
  },
  {
    method: 'get',
    path: '/api/v1/responses/{id}',
    id: 'get_response',
    summary: 'Get a response',
    parameters: [
      responseId,
      parameter('query', 'stream', '`true` for the events of a background response'),
      parameter('query', 'starting_after', 'The number of the last event that is known'),
      parameter('query', 'include', 'Nothing but reasoning.encrypted_content'),
      parameter('query', 'include_obfuscation', 'Must be false'),
    ],
    answers: {
      200: {
        ...whole,
        content: { ...Object(whole.content), 'text/event-stream': { schema: text } },
      },
    },
    refusals: stored,
  },
  {
    method: 'delete',
    path: '/api/v1/responses/{id}',
    id: 'delete_response',
    summary: 'Delete a response',
    parameters: [responseId],
    answers: { 200: answer('It is deleted', deleted) },
    refusals: stored,
  },
  {
    method: 'get',
    path: '/api/v1/responses/{id}/input_items',
    id: 'list_input_items',
    summary: 'List the input of a response',
    parameters: [
      responseId,
      ...['limit', 'order', 'after'].map((name) => parameter('query', name, `OpenAI’s ${name}`)),
    ],
    answers: { 200: answer('A page of items', itemsPage) },
    refusals: stored,
  },
  {
    method: 'post',
    path: '/api/v1/responses/{id}/cancel',
    id: 'cancel_response',
    summary: 'Cancel a background response',
    parameters: [responseId],
    answers: { 200: answer('The response', response) },
    refusals: stored,
  },
  {
    method: 'post',
    path: '/api/v1/responses/compact',
    id: 'compact_response',
    summary: 'Summarize a conversation for a later request',
    parameters: [],
    body: json(
      schemaOf(
        compactBody.extend({ input: z.union([z.string(), z.array(item).min(1)]).nullish() }),
        'input',
      ),
    ),
    answers: { 200: answer('Its messages of users, and the summary', compacted) },
    refusals: [...new Set(chatRefusals.map(({ status }) => status))].toSorted(),
  },
]
