import { z } from 'zod'

/** The part of the request that contains a value. */
const parameterPlaces = ['path', 'query', 'header', 'body'] as const
export const valueTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const
/** The origin of a value: the definition, the model, a variable of the agent, or the conversation. */
const valueSources = ['fixed', 'ai', 'variable', 'system'] as const
export const systemValues = [
  'conversation_id',
  'user_id',
  'timestamp',
  'agent_name',
  'last_user_message',
] as const
const bodyTypes = ['json', 'form', 'text'] as const
export const actionMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type ValueType = (typeof valueTypes)[number]
export type SystemValue = (typeof systemValues)[number]

/** What providers accept as the name of a tool. */
const actionName = z
  .string()
  .regex(
    /^(?!.*__)[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
    'must begin with a letter and hold letters, digits, - and single _, at most 64',
  )

const parameterFields = z.strictObject({
  in: z.enum(parameterPlaces),
  key: z.string().min(1).max(200),
  type: z.enum(valueTypes).default('string'),
  source: z.enum(valueSources).default('ai'),
  required: z.boolean().default(false),
  value: z.unknown().optional().describe('fixed: the value; variable, system: its name'),
  instructions: z.string().max(2000).default('').describe('ai: what to put here'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('ai: more JSON Schema, such as enum, items, minimum'),
})

/** The fields of an action, with the names of the wire and of the stored JSON. */
const actionFields = {
  name: actionName.describe('What the model calls it'),
  title: z.string().trim().max(200).describe('What people read'),
  description: z.string().trim().min(1).max(4000).describe('When the model should call it'),
  method: z.enum(actionMethods),
  url: z.string().trim().min(1).max(4000).describe('With {key} for each path parameter'),
  parameters: z.array(parameterFields).max(50),
  headers: z
    .record(z.string().max(200), z.string().max(8000))
    .describe('Fixed ones; {{var.NAME}} takes a variable'),
  body_type: z.enum(bodyTypes).describe('How body parameters are sent'),
  body_template: z.string().max(20_000).nullable().describe('Body with {{key}} for parameters'),
  timeout_ms: z.int().min(1).max(120_000),
  max_response_bytes: z.int().min(1).max(5_242_880),
  response_path: z.string().max(500).nullable().describe('Part to keep, like data.items[0].name'),
  enabled: z.boolean(),
  requires_confirmation: z.boolean().describe('Ask the user before each call'),
}

/** An action as stored, with a default for every optional field. */
export const actionDefinition = z.object({
  ...actionFields,
  title: actionFields.title.default(''),
  parameters: actionFields.parameters.default([]),
  headers: actionFields.headers.default({}),
  body_type: actionFields.body_type.default('json'),
  body_template: actionFields.body_template.default(null),
  timeout_ms: actionFields.timeout_ms.default(15_000),
  max_response_bytes: actionFields.max_response_bytes.default(262_144),
  response_path: actionFields.response_path.default(null),
  enabled: actionFields.enabled.default(true),
  requires_confirmation: actionFields.requires_confirmation.default(false),
})

/** Some of the fields, without defaults: fields that are left out stay unchanged. */
export const actionPatch = z.object(actionFields).partial()

export type ActionDefinition = z.output<typeof actionDefinition>
export type NewAction = z.input<typeof actionDefinition>
export type ActionPatch = z.output<typeof actionPatch>
export type ActionParameter = z.output<typeof parameterFields>
