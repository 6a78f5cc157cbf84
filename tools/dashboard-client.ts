import type { JsonSchema } from '../server/src/operations/json-schema.ts'

/**
 * Generates the types of the dashboard's client from its contract. No package is needed: every
 * operation is a POST of one JSON object to an address of the same form, so the client is one
 * function and only types are generated.
 *
 * @param others schemas of responses that are not operations, by the name of their type
 */
export function dashboardClient(
  contract: Readonly<Record<string, unknown>>,
  others: Readonly<Record<string, JsonSchema>>,
): string {
  const entries = Object.values(asRecord(contract.paths)).map((path) => {
    const post = asRecord(asRecord(path).post)
    const input = contentOf(post.requestBody)
    const output = contentOf(asRecord(post.responses)['200'])
    return [
      `  /** ${String(post.description).replaceAll('*/', '')} */`,
      `  ${String(post.operationId)}: {`,
      `    input: ${typeOf(input, '    ')}`,
      `    output: ${typeOf(output, '    ')}`,
      '  }',
    ].join('\n')
  })
  return `// Generated from contracts/dashboard.openapi.json by tools/write-contracts.ts. Not edited by hand.

/** Every operation that the dashboard may call, by its name. */
export interface Operations {
${entries.join('\n')}
}
${Object.entries(others)
  .map(([name, schema]) => `\nexport type ${name} = ${typeOf(schema, '')}\n`)
  .join('')}`
}

function contentOf(part: unknown): JsonSchema {
  const content = asRecord(asRecord(part).content)
  return asRecord(asRecord(content['application/json']).schema)
}

function typeOf(schema: JsonSchema, indent: string): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return unionOf(choices.map((one) => typeOf(asRecord(one), indent)))
  if (Array.isArray(schema.type))
    return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, indent)))
  if (schema.type === 'array') return `readonly ${inBrackets(itemsOf(schema, indent))}[]`
  if (schema.type === 'object') return objectType(schema, indent)
  return primitives[String(schema.type)] ?? 'unknown'
}

const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function itemsOf(schema: JsonSchema, indent: string): string {
  return schema.items === undefined ? 'unknown' : typeOf(asRecord(schema.items), indent)
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function inBrackets(type: string): string {
  return /[|\s]/.test(type) && !/^\{[^|]*\}$/s.test(type) ? `(${type})` : type
}

function objectType(schema: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const properties = Object.entries(asRecord(schema.properties ?? {}))
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  if (properties.length === 0) {
    const more = schema.additionalProperties
    if (more === false) return 'Readonly<Record<string, never>>'
    const value =
      typeof more === 'object' && more !== null ? typeOf(asRecord(more), inner) : 'unknown'
    return `Readonly<Record<string, ${value}>>`
  }
  const lines = properties.map(([name, value]) => {
    const field = asRecord(value)
    const comment =
      typeof field.description === 'string' ? `${inner}/** ${field.description} */\n` : ''
    // `exactOptionalPropertyTypes` would make each optional field of a form a branch.
    const optional = required.has(name) ? '' : '?'
    const type = typeOf(field, inner) + (optional === '' ? '' : ' | undefined')
    return `${comment}${inner}readonly ${name}${optional}: ${type}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>> // An object that is no array has string keys.
  throw new Error(`not a part of a contract: ${JSON.stringify(value)}`)
}
