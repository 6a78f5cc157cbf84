import { z } from 'zod'
import { maxComment } from '#features/analytics/index.ts'
import {
  answer,
  bearerScheme,
  json,
  openApiDocument,
  parameter,
  schemaOf,
  text,
  type Endpoint,
  type Json,
} from '#surfaces/http/open-api.ts'
import { chatRefusals } from '#surfaces/chat/fault-table.ts'
import { chatRequestBody, toolCall } from './open-api-request.ts'
import { fileEndpoints } from './open-api-files.ts'
import { conversationEndpoints } from './open-api-conversations.ts'
import { responseEndpoints } from './open-api-responses.ts'

/** The body that `readFeedback` accepts. */
const feedbackBody = z.object({
  chatSessionId: z.uuid(),
  messageId: z.string().nullish(),
  rating: z.enum(['up', 'down']).nullable(),
  comment: z.string().max(maxComment).nullish(),
})

const feedback = z.object({
  chatSessionId: z.uuid(),
  messageId: z.string().regex(/^chatcmpl-/),
  rating: z.enum(['up', 'down']).nullable(),
  comment: z.string().nullable(),
})

const completion = z.object({
  chatSessionId: z.uuid(),
  id: z.string().regex(/^chatcmpl-/),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable().describe('null if there is only a refusal or tool_calls'),
        refusal: z.string().optional().describe('How the model refused to answer'),
        tool_calls: z.array(toolCall).optional(),
        reasoning_content: z.string().optional().describe('What the model thought'),
        citations: z.array(z.looseObject({})).optional(),
      }),
      finish_reason: z.string(),
    }),
  ),
  usage: z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z
      .object({ cached_tokens: z.int() })
      .optional()
      .describe('Present if the provider had a part of the prompt in its cache'),
    completion_tokens_details: z
      .object({ reasoning_tokens: z.int() })
      .optional()
      .describe('Present if the model thought, and the provider says how much'),
  }),
})

const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

const error = schemaOf(
  z.object({
    error: z.union([
      z.string(),
      z
        .object({
          type: z.string(),
          code: z.string(),
          message: z.string(),
          param: z.string().nullable(),
        })
        .describe('Of the Responses API and of files'),
    ]),
  }),
  'output',
)
const tracking = parameter('header', 'X-Correlation-ID', 'The id to track the request by')
const sessionAbout =
  'Another way to pass the session id; chatSessionId in the body takes precedence'
const session = parameter('header', 'X-Chat-Session-ID', sessionAbout, { ...text, format: 'uuid' })
const modelId = parameter('path', 'id', 'The app_name_id')

/** The chat surface as OpenAPI. */
export function chatOpenApi(): Json {
  return openApiDocument({
    title: 'Parley chat API',
    about:
      'Mounted at the base address of the service. Errors are {"error": text}; those of the Responses API and of files are objects.',
    refusals: chatRefusals,
    errorBody: () => error,
    securityScheme: bearerScheme('A chat key: svc_ck_…'),
    endpoints: [
      chatCompletion(),
      ratedAnswer,
      listedModels,
      oneModel,
      ...responseEndpoints,
      ...conversationEndpoints,
      ...fileEndpoints,
    ],
  })
}

function chatCompletion(): Endpoint {
  const whole = answer('The answer; a stream of chunks where `stream` is true', completion)
  const stream = { 'text/event-stream': { schema: text } }
  return {
    method: 'post',
    path: '/api/v1/chat/completions',
    id: 'create_chat_completion',
    summary: 'Send messages to an agent',
    parameters: [session, tracking],
    body: json(schemaOf(chatRequestBody, 'input')),
    answers: { 200: { ...whole, content: { ...Object(whole.content), ...stream } } },
    refusals: [...new Set(chatRefusals.map(({ status }) => status))].toSorted(),
  }
}

const ratedAnswer: Endpoint = {
  method: 'post',
  path: '/api/v1/chat/feedback',
  id: 'rate_answer',
  summary: 'Rate an answer',
  parameters: [session, tracking],
  body: json(schemaOf(feedbackBody, 'input')),
  answers: { 200: answer('The current rating', feedback) },
  refusals: [400, 401, 404, 405, 409, 413, 415, 429, 500, 503],
}

const listedModels: Endpoint = {
  method: 'get',
  path: '/api/v1/models',
  id: 'list_models',
  summary: 'List the agent of the key',
  parameters: [tracking],
  answers: {
    200: answer(
      'The agent of the key, in OpenAI’s shape',
      z.object({ object: z.literal('list'), data: z.array(model) }),
    ),
  },
  refusals: [401, 405, 500, 503],
}

const oneModel: Endpoint = {
  method: 'get',
  path: '/api/v1/models/{id}',
  id: 'get_model',
  summary: 'Get an agent',
  parameters: [modelId, tracking],
  answers: { 200: answer('The agent', model) },
  refusals: [401, 404, 405, 500, 503],
}
