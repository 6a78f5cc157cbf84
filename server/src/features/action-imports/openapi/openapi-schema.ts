import { keptSchema, valueTypes, type ValueType } from '#features/actions/index.ts'
import { asFields, asList, asText, type Fields, type OpenApiDocument } from './openapi-document.ts'

/** The schema of one value. */
export interface ImportedValue {
  readonly type: ValueType
  readonly schema: Record<string, unknown> | undefined
  readonly note: string
}

/** Limits on nested schemas and their fields, because references can be circular. */
const deepest = 4
/** More than an action may have parameters, so that an operation with as many is refused. */
export const maxFields = 60
const maxSchemas = 400

/** The schemas that may still be read for one value. */
interface Budget {
  left: number
}

export function importSchema(document: OpenApiDocument, value: unknown): ImportedValue {
  const flat = flatten(document, value, 0, { left: maxSchemas })
  const type = typeOf(flat)
  const { format, description, default: fallback } = flat
  const note = [
    asText(description),
    typeof format === 'string' && type === 'string' ? `(${format})` : '',
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}.`,
  ]
  return { type, schema: keptSchema(flat), note: note.filter(Boolean).join(' ') }
}

/** The fields of an object schema, with references followed and `allOf` merged. */
export function importFields(
  document: OpenApiDocument,
  value: unknown,
): { name: string; schema: unknown; isRequired: boolean }[] {
  const budget = { left: maxSchemas }
  const { properties, required } = flatten(document, value, 0, budget)
  const needed = asList(required)
  return firstEntries(asFields(properties) ?? {})
    .filter(([, schema]) => document.resolve(schema).readOnly !== true)
    .map(([name, schema]) => ({ name, schema, isRequired: needed.includes(name) }))
}

function typeOf({ type, properties, items, enum: values }: Fields): ValueType {
  // OpenAPI 3.1 writes a nullable type as a list of types.
  const named = Array.isArray(type) ? type.find((one) => one !== 'null') : type
  const known = valueTypes.find((one) => one === named)
  if (known !== undefined) return known
  if (properties !== undefined) return 'object'
  if (items !== undefined) return 'array'
  const [first] = asList(values)
  return typeof first === 'number' || typeof first === 'boolean'
    ? (typeof first as ValueType)
    : 'string'
}

function flatten(
  document: OpenApiDocument,
  value: unknown,
  depth: number,
  budget: Budget,
): Record<string, unknown> {
  if (depth > deepest || budget.left <= 0 || document.budget.left <= 0) return {}
  budget.left -= 1
  document.budget.left -= 1
  const fields = document.resolve(value)
  const [alternative] = [...asList(fields.oneOf), ...asList(fields.anyOf)]
  const parts = [...asList(fields.allOf), ...(alternative === undefined ? [] : [alternative])]
  const joined = parts
    .map((part) => flatten(document, part, depth + 1, budget))
    .reduce((all, part) => join(all, part), {})
  const own = { ...fields }
  if (fields.items !== undefined)
    own.items = typed(flatten(document, fields.items, depth + 1, budget))
  const properties = asFields(fields.properties)
  if (properties !== null)
    own.properties = Object.fromEntries(
      firstEntries(properties).map(([name, one]) => [
        name,
        typed(flatten(document, one, depth + 1, budget)),
      ]),
    )
  return join(joined, own)
}

/** Object.entries would copy all of them each time. */
function firstEntries(fields: Fields): [string, unknown][] {
  const entries: [string, unknown][] = []
  for (const name in fields) {
    if (entries.length === maxFields) break
    entries.push([name, fields[name]])
  }
  return entries
}

function join(a: Fields, b: Fields): Record<string, unknown> {
  const both = { ...a, ...b }
  if (asFields(a.properties) !== null && asFields(b.properties) !== null)
    both.properties = { ...asFields(a.properties), ...asFields(b.properties) }
  if (Array.isArray(a.required) && Array.isArray(b.required))
    both.required = [...new Set([...a.required, ...b.required])]
  return both
}

/** A nested schema has its type inside; a parameter has it beside its schema. */
function typed(fields: Fields): Fields {
  return fields.type === undefined ? fields : { ...fields, type: typeOf(fields) }
}
