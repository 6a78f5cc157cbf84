import type { JsonSchema } from '#operations/json-schema.ts'

/**
 * JSON Schemas as tools publish them. An assistant pays for every token of the list with every
 * message, so they contain only what it needs for a call. The runner checks everything and explains
 * the rest when a call is invalid.
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
  /** Shortened to a reference if another tool of the list has the same schema. */
  readonly outputSchema: ToolSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** Omitted keywords: the error for a call that violates one explains it. */
const omitted = new Set([
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

/** A tool's input. The server's instructions explain `workspace_id`, which is in most tools. */
export function toolInput(schema: JsonSchema, hidden: readonly string[] = []): ToolSchema {
  const brief = briefly(schema)
  const properties = { ...objectIn(brief.properties) }
  for (const field of hidden) delete properties[field]
  if ('workspace_id' in properties) properties.workspace_id = { type: 'string' }
  return { ...brief, type: 'object', properties, additionalProperties: false }
}

/**
 * A tool's output: its fields and their types, one level deep. It allows other fields: a client
 * that caches the list must not reject an answer with a new field.
 */
export function toolOutput(schema: JsonSchema): ToolSchema {
  const fields = Object.entries(objectIn(schema.properties))
  const properties = fields.map(([name, field]) => [name, typeOf(objectIn(field), true)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Drops keywords only from schemas, because a field may be named `pattern`. */
function briefly(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !omitted.has(keyword) && !isOmitted(keyword, value),
  )
  const brief = kept.map(([keyword, value]) => [keyword, withinKeyword(keyword, value)])
  return withoutAnyOf(Object.fromEntries(brief))
}

/** `{"type": ["string", "null"]}` is half as long as a choice of bare types. */
function withoutAnyOf({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return rest
  const isBare = anyOf.every((option) => Object.keys(objectIn(option)).join() === 'type')
  return isBare ? { type: anyOf.map(({ type }) => type), ...rest } : { anyOf, ...rest }
}

function isOmitted(keyword: string, value: unknown): boolean {
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

/** Only the type of a field, and of the items of a list. */
export function typeOf(field: JsonSchema, withItems: boolean): JsonSchema {
  const types = typesOf(field)
  if (types.length === 0) return {}
  const type = types.length === 1 ? types[0] : types
  return withItems && types.includes('array')
    ? { type, items: typeOf(objectIn(field.items), false) }
    : { type }
}

/** Empty where any type is allowed. */
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
  // A schema, or a map of schemas, is an object or absent.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}
