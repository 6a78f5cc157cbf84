import { z } from 'zod'
import { callStatuses } from '#features/tool-calls/index.ts'
import { planNames } from '#kernel/plan.ts'
import { roles } from '#kernel/actor.ts'

/**
 * The answers to the dashboard's pages apart from operations. Their types in the dashboard are
 * generated from these schemas, like those of operations.
 */

const plan = z.enum(planNames)

/** GET /api/dashboard/me */
export const me = z.strictObject({
  user: z.strictObject({ id: z.string(), name: z.string(), email: z.string() }),
  workspaces: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      plan,
      role: z.enum(roles),
      owners_need_second_factor: z.boolean(),
      waits_for_second_factor: z
        .boolean()
        .describe('Whether the person may do nothing in it until they add a second factor'),
    }),
  ),
  default_workspace_id: z.string().nullable(),
  locale: z.string().nullable(),
  limits: z.strictObject({
    body_bytes: z.int(),
    file_bytes: z.int(),
    text_bytes: z.int(),
    chat_files: z.int().describe('Files of a request to the test chat'),
    chat_file_bytes: z.int(),
  }),
  for_sale: z
    .strictObject({ plans: z.array(plan), packs: z.array(z.number()) })
    .describe('What the payment provider sells here; nothing where none is configured'),
  sends_mail: z.boolean().describe('Whether a mail server is configured'),
  accepts_passwords: z.boolean().describe('Whether people can sign in with a password'),
  is_operator: z.boolean().describe('Whether the person may create accounts and set prices'),
  base_url: z.string().nullable().describe('Where clients reach the service'),
  form_token: z.string(),
  version: z.string(),
})

export type Me = z.output<typeof me>

/** POST /api/dashboard/confirmation/begin: how a person can confirm that it is them. */
export const confirmationWays = z.strictObject({
  password: z.boolean(),
  code: z.boolean().describe('A code of an authenticator app, or a recovery code'),
  app: z.boolean().describe('Whether the person has an authenticator app'),
  passkey: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('For PublicKeyCredential.parseRequestOptionsFromJSON'),
  provider: z
    .strictObject({ name: z.string(), path: z.string() })
    .nullable()
    .describe('Where a person without password and second factor signs in again'),
})

export type ConfirmationWays = z.output<typeof confirmationWays>

/** A tool call as the test chat shows it. */
const shownCall = z.strictObject({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  status: z.enum(callStatuses),
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int().nullable(),
  response: z.string().nullable(),
})

export type ShownCall = z.output<typeof shownCall>

const citation = z.strictObject({
  source_id: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  page: z.int().nullable(),
  heading: z.string(),
  passage: z.string(),
  score: z.number(),
  number: z.int().optional().describe('The answer cites it as [number]'),
})

const sentPrompt = z.strictObject({
  type: z.literal('prompt'),
  model: z.string(),
  kept: z.int().describe('How many messages of the request before it begins with'),
  messages: z
    .array(
      z.strictObject({
        role: z.string(),
        content: z.string(),
        images: z.array(z.string()),
        tool_calls: z.array(
          z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() }),
        ),
        tool_call_id: z.string().nullable(),
      }),
    )
    .describe('Those that follow'),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()).readonly(),
    }),
  ),
  parameters: z.record(z.string(), z.unknown()),
})

/** A request to the model, for editors. */
export type SentPrompt = z.output<typeof sentPrompt>

/** The events of an answer in the test chat: start, text and tool calls, then done or error. */
export const chatEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('start'), session_id: z.string(), message_id: z.string() }),
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  sentPrompt,
  z.strictObject({
    type: z.literal('tool_calls'),
    items: z
      .array(shownCall)
      .readonly()
      .describe('All calls so far, and those of earlier answers that this turn changed'),
  }),
  z.strictObject({
    type: z.literal('done'),
    finish_reason: z.string(),
    cost_micros: z
      .int()
      .nullable()
      .describe('Millionths of a credit; null if the model has no price'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    citations: z.array(citation).readonly(),
    first_token_ms: z.int().nullable(),
    latency_ms: z.int(),
  }),
  z.strictObject({
    type: z.literal('error'),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
])

export type ChatEvent = z.output<typeof chatEvent>
