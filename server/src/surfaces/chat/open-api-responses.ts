import { z } from 'zod'
import { answer, json, parameter, schemaOf, text, type Endpoint } from '#surfaces/http/open-api.ts'
import { chatRefusals } from './fault-table.ts'

/** The Responses API as far as this contract describes it; Open Responses 2026-04-24 has all shapes. */

const part = z.union([
  z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({ type: z.literal('input_image'), image_url: z.string() }),
])

const item = z.union([
  z.object({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(part)]),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
  z.object({ type: z.literal('item_reference').optional(), id: z.string().regex(/^msg_/) }),
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
  background: z.literal(false).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_retention: z.string().nullish(),
  include: z.array(z.literal('reasoning.encrypted_content')).nullish(),
  tools: z.array(z.never()).max(0).nullish(),
  tool_choice: z.enum(['auto', 'none']).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .object({
      format: z.object({ type: z.literal('text') }).nullish(),
      verbosity: z.literal('medium').nullish(),
    })
    .nullish(),
  truncation: z.literal('auto').nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  top_logprobs: z.literal(0).nullish(),
  presence_penalty: z.literal(0).nullish(),
  frequency_penalty: z.literal(0).nullish(),
})

const response = z.looseObject({
  id: z.string().regex(/^resp_/),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  conversation: z.object({ id: z.string().regex(/^conv_/) }).nullable(),
})

const items = z.object({
  object: z.literal('list'),
  data: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
})

const deleted = z.object({ id: z.string(), object: z.literal('response'), deleted: z.boolean() })

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
    parameters: [responseId],
    answers: { 200: answer('The response', response) },
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
    answers: { 200: answer('A page of items', items) },
    refusals: stored,
  },
]
