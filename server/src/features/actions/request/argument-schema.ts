import { z } from 'zod'
import { isObject } from '#kernel/json.ts'
import { valueTypes, type ActionParameter, type ValueType } from './action-definition.ts'

/**
 * JSON Schema that a parameter may add. Patterns are not allowed: the service would run one person's
 * regular expression on another person's text.
 */
const valueSchema = z.strictObject({
  type: z.enum(valueTypes).optional(),
  description: z.string().max(2000).optional(),
  enum: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .min(1)
    .max(200)
    .optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(0).optional(),
  minItems: z.int().min(0).optional(),
  maxItems: z.int().min(0).optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return valueSchema.optional()
  },
  get properties() {
    return z.record(z.string(), valueSchema).optional()
  },
})

/** The longest schema of a parameter as JSON: the model reads it in every turn. */
const maxSchemaLength = 4000

/** Why the JSON Schema of a parameter is not allowed; null when it is. */
export function schemaProblem(schema: Record<string, unknown>): string | null {
  const length = JSON.stringify(schema).length
  if (length > maxSchemaLength)
    return `is ${length} characters long; ${maxSchemaLength} are allowed`
  const parsed = valueSchema.safeParse(schema)
  if (parsed.success) return null
  return parsed.error.issues
    .map(({ path, message }) => [...path.map(String), message].join(' '))
    .join(', ')
}

/** The parts of an imported schema that a parameter may have. */
export function keptSchema(schema: Record<string, unknown>): Record<string, unknown> | undefined {
  const { description: _, type: __, ...kept } = keep(schema, 0)
  if (Object.keys(kept).length === 0 || schemaProblem(kept) !== null) return undefined
  return kept
}

const deepest = 5

function keep(schema: Record<string, unknown>, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'items' && isObject(value) && depth < deepest) kept[name] = keep(value, depth + 1)
    else if (name === 'properties' && isObject(value) && depth < deepest)
      kept[name] = Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) =>
          isObject(one) ? [[key, keep(one, depth + 1)]] : [],
        ),
      )
    else if (name !== 'items' && name !== 'properties' && fits(name, value)) kept[name] = value
  }
  return kept
}

function fits(name: string, value: unknown): boolean {
  return valueSchema.safeParse({ [name]: value }).success
}

/** The parameters whose values the model provides, by the names of its arguments. */
export function argumentNames(
  parameters: readonly ActionParameter[],
): Map<string, ActionParameter> {
  const names = new Map<string, ActionParameter>()
  for (const parameter of parameters) {
    if (parameter.source !== 'ai') continue
    const plain = parameter.key.replace(/[^A-Za-z0-9_]/g, '_').slice(0, 64)
    const base = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
    let name = base
    for (let n = 2; names.has(name); n += 1) name = `${base}_${n}`
    names.set(name, parameter)
  }
  return names
}

/** The schema of a call's arguments. */
export function argumentsSchema(parameters: readonly ActionParameter[]): Record<string, unknown> {
  const names = [...argumentNames(parameters)]
  return {
    type: 'object',
    properties: Object.fromEntries(names.map(([name, parameter]) => [name, schemaOf(parameter)])),
    required: names.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  }
}

/** Whether OpenAI can enforce the schema: every field is required and of a plain type. */
export function isStrict(parameters: readonly ActionParameter[]): boolean {
  return parameters
    .filter(({ source }) => source === 'ai')
    .every(({ required, type, schema }) => required && schema === undefined && isPlain(type))
}

function isPlain(type: ValueType): boolean {
  return type !== 'object' && type !== 'array'
}

function schemaOf({ type, instructions, schema = {} }: ActionParameter): Record<string, unknown> {
  const open = type === 'array' && schema.items === undefined ? { items: {} } : {}
  return {
    ...open,
    ...schema,
    type,
    ...(instructions === '' ? {} : { description: instructions }),
  }
}
