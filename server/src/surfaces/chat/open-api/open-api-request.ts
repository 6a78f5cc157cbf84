import { z } from 'zod'
import { messageRoles } from '#features/turns/index.ts'

const part = z.union([
  z.object({ type: z.enum(['text', 'input_text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.union([z.string(), z.object({ url: z.string() })]),
  }),
  z
    .object({
      type: z.literal('input_audio'),
      input_audio: z.object({
        data: z.string().min(1).describe('Base64'),
        format: z.enum(['wav', 'mp3']),
      }),
    })
    .describe('In messages of the user, for models that accept audio'),
  z
    .object({
      type: z.literal('file'),
      file: z.object({
        file_data: z.string().nullish().describe('Base64, as a data URL or alone'),
        file_url: z.string().nullish(),
        file_id: z.string().nullish().describe('Of an uploaded file'),
        filename: z.string().nullish(),
      }),
    })
    .describe('A document, in messages of the user; one of file_data, file_url and file_id'),
])

const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

export const toolCall = z.object({
  id: z.string().min(1).max(256),
  type: z.literal('function'),
  function: z.object({ name: functionName, arguments: z.string() }),
})

const called = {
  refusal: z.string().nullish().describe('Of an assistant'),
  tool_calls: z.array(toolCall).max(128).nullish(),
}

const message = z.union([
  z.object({ role: z.literal('assistant'), content: z.null().optional(), ...called }),
  z.object({
    role: z.enum(messageRoles).exclude(['tool']),
    content: z.union([z.string(), z.array(part)]),
    ...called,
  }),
  z.object({
    role: z.literal('tool'),
    content: z.union([z.string(), z.array(part)]),
    tool_call_id: z.string().min(1).max(256),
  }),
])

const named = z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) })
const text = z.string().min(1)
const json = z.looseObject({})

/** What a request can ask for: see `readOptions`. */
const options = z.object({
  temperature: z.number().min(0).max(2),
  top_p: z.number().min(0).max(1),
  max_completion_tokens: z.int().min(1),
  max_tokens: z.int().min(1),
  stop: z.union([text, z.array(text).min(1).max(4)]),
  seed: z.int(),
  presence_penalty: z.number().min(-2).max(2),
  frequency_penalty: z.number().min(-2).max(2),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
  verbosity: z.enum(['low', 'medium', 'high']),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: functionName,
          description: z.string().nullish(),
          parameters: json.nullish(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .max(128),
  tool_choice: z.union([
    z.enum(['none', 'auto', 'required']),
    named,
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(named).min(1) }),
    }),
  ]),
  parallel_tool_calls: z.boolean(),
  response_format: z.union([
    z.object({ type: z.enum(['text', 'json_object']) }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object({
        name: functionName,
        description: z.string().nullish(),
        schema: json,
        strict: z.boolean().nullish(),
      }),
    }),
  ]),
  n: z.literal(1),
  logprobs: z.literal(false),
  top_logprobs: z.literal(0),
  service_tier: z.enum(['auto', 'default']),
  modalities: z.array(z.literal('text')),
})

/** The body that `readChatRequest` accepts, for the contract; a test compares the two. */
export const chatRequestBody = z.object({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  chatSessionId: z.union([z.uuid(), z.literal('')]).nullish(),
  store: z.boolean().nullish(),
  user: z.string().nullish(),
  ...nullish(options.shape),
})

/** Every field can be left out or null. */
function nullish<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const fields = Object.entries(shape).map(([name, type]) => [name, type.nullish()])
  // The same names, each with its own type made nullish.
  return Object.fromEntries(fields) as {
    [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>
  }
}
