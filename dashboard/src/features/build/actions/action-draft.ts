import type { InputOf, OutputOf } from '#api/call-operation.ts'

export type Action = OutputOf<'get_custom_action'>
type Definition = Omit<InputOf<'create_custom_action'>, 'app_id' | 'workspace_id'>
type Given = NonNullable<Definition['parameters']>[number]

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const places = ['path', 'query', 'header', 'body'] as const
export const types = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const
export const sources = ['ai', 'fixed', 'variable', 'system'] as const
export const systemValues = [
  'conversation_id',
  'user_id',
  'timestamp',
  'agent_name',
  'last_user_message',
] as const
export const bodyTypes = ['json', 'form', 'text'] as const

/** A parameter as it is typed. Its value is text, which is JSON if the type is not `string`. */
export interface ParameterDraft {
  readonly in: (typeof places)[number]
  readonly key: string
  readonly type: (typeof types)[number]
  readonly source: (typeof sources)[number]
  readonly required: boolean
  readonly value: string
  readonly instructions: string
  readonly schema: string
}

export interface ActionDraft {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly method: (typeof methods)[number]
  readonly url: string
  readonly parameters: readonly ParameterDraft[]
  readonly body_type: (typeof bodyTypes)[number]
  readonly body_template: string
  readonly timeout_seconds: string
  readonly answer_kilobytes: string
  readonly response_path: string
  readonly enabled: boolean
  readonly requires_confirmation: boolean
}

/** Not part of the draft, because a header may contain a credential. */
export interface HeaderDraft {
  readonly name: string
  readonly value: string
}

export const newAction: ActionDraft = {
  name: '',
  title: '',
  description: '',
  method: 'GET',
  url: '',
  parameters: [],
  body_type: 'json',
  body_template: '',
  timeout_seconds: '15',
  answer_kilobytes: '256',
  response_path: '',
  enabled: true,
  requires_confirmation: false,
}

export const newParameter: ParameterDraft = {
  in: 'query',
  key: '',
  type: 'string',
  source: 'ai',
  required: false,
  value: '',
  instructions: '',
  schema: '',
}

export function draftOfAction(action: Action): ActionDraft {
  return {
    name: action.name,
    title: action.title,
    description: action.description,
    method: oneOf(methods, action.method),
    url: action.url,
    parameters: action.parameters.map(draftOfParameter),
    body_type: oneOf(bodyTypes, action.body_type),
    body_template: action.body_template ?? '',
    timeout_seconds: String(action.timeout_ms / 1000),
    answer_kilobytes: String(action.max_response_bytes / 1024),
    response_path: action.response_path ?? '',
    enabled: action.enabled,
    requires_confirmation: action.requires_confirmation,
  }
}

function draftOfParameter(parameter: Readonly<Record<string, unknown>>): ParameterDraft {
  const { value, schema } = parameter
  return {
    in: oneOf(places, parameter.in),
    key: text(parameter.key),
    type: oneOf(types, parameter.type),
    source: oneOf(sources, parameter.source),
    required: parameter.required === true,
    value: value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    instructions: text(parameter.instructions),
    schema: schema === undefined ? '' : JSON.stringify(schema, null, 2),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function oneOf<Known extends string>(known: readonly [Known, ...Known[]], value: unknown): Known {
  return known.find((one) => one === value) ?? known[0]
}

export function headersOf(action: Action): readonly HeaderDraft[] {
  return Object.entries(action.headers).map(([name, value]) => ({ name, value }))
}

/**
 * The definition that is sent to the service.
 *
 * @throws SyntaxError if a value is not valid JSON
 */
export function definitionOf(draft: ActionDraft, headers: readonly HeaderDraft[]): Definition {
  const { timeout_seconds, answer_kilobytes, ...rest } = draft
  return {
    ...rest,
    title: draft.title.trim(),
    parameters: draft.parameters.map(parameterOf),
    headers: Object.fromEntries(
      headers
        .filter(({ name }) => name.trim() !== '')
        .map(({ name, value }) => [name.trim(), value]),
    ),
    body_template: draft.body_template === '' ? null : draft.body_template,
    timeout_ms: Math.round(Number(timeout_seconds) * 1000),
    max_response_bytes: Math.round(Number(answer_kilobytes) * 1024),
    response_path: draft.response_path.trim() === '' ? null : draft.response_path.trim(),
  }
}

function parameterOf(draft: ParameterDraft): Given {
  const { source, schema, value, instructions, ...rest } = draft
  const common = { ...rest, source, key: draft.key.trim() }
  if (source !== 'ai') return { ...common, value: valueOf(draft, value) }
  const more = schema.trim() === '' ? {} : { schema: asRecord(JSON.parse(schema)) }
  return { ...common, instructions, ...more }
}

function valueOf({ source, type }: ParameterDraft, value: string): unknown {
  return source === 'fixed' && type !== 'string' ? JSON.parse(value) : value
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new SyntaxError('a schema is an object')
}

export function isJson(typed: string): boolean {
  try {
    JSON.parse(typed)
    return true
  } catch {
    // The field shows the problem; the person may still be typing.
    return false
  }
}
