import type { JsonSchema } from '#operations/json-schema.ts'

/**
 * JSON Schemas as tools publish them. An assistant pays for every token of the list on every message,
 * so that they say what it needs to make a call, and the runner, which checks everything, says the
 * rest when a call is wrong.
 */
export interface ToolSchema extends JsonSchema {
  readonly type: 'object'
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ToolSchema
  /** Missing where another tool of the list shows the same schema. */
  readonly outputSchema: ToolSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** Keywords left out: a call that breaks one is refused with its name. */
const untold = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'propertyNames',
])

/** A tool's input. `workspace_id` is in almost all of them: the server's instructions explain it. */
export function toolInput(schema: JsonSchema): ToolSchema {
  const brief = briefly(schema)
  const properties = { ...objectIn(brief.properties) }
  if ('workspace_id' in properties) properties.workspace_id = { type: 'string' }
  return { ...brief, type: 'object', properties, additionalProperties: false }
}

/**
 * What a tool answers: its fields and their types, one level deep. It is left open: a client that
 * caches the list must not reject an answer with a new field.
 */
export function toolOutput(schema: JsonSchema): ToolSchema {
  const fields = Object.entries(objectIn(schema.properties))
  const properties = fields.map(([name, field]) => [name, typeOf(objectIn(field), true)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Drops keywords only from schemas: a field may be named `pattern`. */
function briefly(schema: JsonSchema): JsonSchema {
  const told = Object.entries(schema).filter(
    ([keyword, value]) => !untold.has(keyword) && !isUntold(keyword, value),
  )
  const brief = told.map(([keyword, value]) => [keyword, withinKeyword(keyword, value)])
  return withoutAnyOf(Object.fromEntries(brief))
}

/** `{"type": ["string", "null"]}` says in half the words what a choice of bare types says. */
function withoutAnyOf({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return rest
  const isBare = anyOf.every((option) => Object.keys(objectIn(option)).join() === 'type')
  return isBare ? { type: anyOf.map(({ type }) => type), ...rest } : { anyOf, ...rest }
}

function isUntold(keyword: string, value: unknown): boolean {
  if (keyword === 'additionalProperties') return typeof value === 'boolean' || isEmpty(value)
  if (keyword === 'default') return value === '' || (Array.isArray(value) && value.length === 0)
  return keyword === 'format' && value === 'uuid'
}

function withinKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties')
    return Object.fromEntries(
      Object.entries(objectIn(value)).map(([name, field]) => [name, briefly(objectIn(field))]),
    )
  if (Array.isArray(value) && /^(?:any|all|one)Of$/.test(keyword))
    return value.map((option) => briefly(objectIn(option)))
  return keyword === 'items' || keyword === 'additionalProperties'
    ? briefly(objectIn(value))
    : value
}

function typeOf(field: JsonSchema, withItems: boolean): JsonSchema {
  const types = typesOf(field)
  if (types.length === 0) return {}
  const type = types.length === 1 ? types[0] : types
  return withItems && types.includes('array')
    ? { type, items: typeOf(objectIn(field.items), false) }
    : { type }
}

/** None where any type may stand. */
function typesOf(field: JsonSchema): readonly unknown[] {
  if (Array.isArray(field.anyOf)) {
    const options = field.anyOf.map((option) => typesOf(objectIn(option)))
    return options.some((types) => types.length === 0) ? [] : [...new Set(options.flat())]
  }
  return field.type === undefined ? [] : [field.type].flat()
}

function isEmpty(value: unknown): boolean {
  return Object.keys(objectIn(value)).length === 0
}

export function objectIn(value: unknown): JsonSchema {
  // Each place that holds a schema, or a map of them, holds an object or nothing.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}
