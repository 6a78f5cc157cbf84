import fc, { type Arbitrary } from 'fast-check'

/** A JSON Schema, as zod and the OpenAPI documents contain it. */
export type Schema = Readonly<Record<string, unknown>>

interface Options {
  /** Values of fields that name records, so that requests also reach what is behind the lookup. */
  readonly known: Readonly<Record<string, string>>
  /** Resolves `#/components/schemas/Name`. */
  readonly referred: (name: string) => Schema
}

/** Values that a schema allows, or nearly: bounds are not all kept, so that both sides are tried. */
export function fromSchema(schema: Schema, options: Options, depth = 0): Arbitrary<unknown> {
  const inner = (one: unknown) => fromSchema(one as Schema, options, depth + 1) // A part of a schema is one.
  const ref = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  if (depth > 6) return fc.constant(null)
  if (ref !== undefined) return inner(options.referred(ref))
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return fc.oneof(...choices.map(inner))
  if (Array.isArray(schema.allOf)) return inner(schema.allOf[0])
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })))
  switch (schema.type) {
    case 'object':
      return objects(schema, inner, options)
    case 'array':
      return fc.array(inner(schema.items ?? {}), { maxLength: 3 })
    case 'string':
      return strings(schema)
    case 'integer':
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.maxSafeInteger())
    case 'number':
      return fc.oneof(fc.double({ noNaN: true }), fc.integer())
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objects(
  { properties = {}, required = [], additionalProperties }: Schema,
  inner: (schema: unknown) => Arbitrary<unknown>,
  { known }: Options,
): Arbitrary<unknown> {
  const fields = Object.entries(Object(properties)).map(([name, schema]) => {
    const value = known[name]
    const any = inner(schema)
    if (value === undefined) return [name, any] as const
    return [name, fc.oneof({ arbitrary: fc.constant(value), weight: 4 }, any)] as const
  })
  const record = fc.record(Object.fromEntries(fields), { requiredKeys: required as string[] })
  if (fields.length > 0 || typeof additionalProperties !== 'object') return record
  return fc.dictionary(fc.string({ maxLength: 8 }), inner(additionalProperties), { maxKeys: 3 })
}

function strings({ format, pattern, maxLength }: Schema): Arbitrary<unknown> {
  const any = fc.string({ maxLength: Math.min(Number(maxLength ?? 30), 30) })
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.constant('fuzz@example.com')
  if (format === 'uri') return fc.constantFrom('https://127.0.0.1/x', 'http://[::1]:1/', 'ftp://x')
  if (format === 'date-time') return fc.constantFrom('2026-01-02T03:04:05Z', '9999-12-31T23:59:59Z')
  if (typeof pattern !== 'string') return any
  try {
    return fc.oneof(fc.stringMatching(new RegExp(pattern)), any)
  } catch {
    // Some forms of patterns cannot be generated.
    return any
  }
}
