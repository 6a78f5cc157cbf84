import { z } from 'zod'
import type { Operation } from '#operations/operation.ts'
import { inputSchema } from '#operations/run-operation.ts'

type Schema = z.core.JSONSchema.JSONSchema
type Field = Schema | boolean

/** The text of `parley call <operation> --help`: a description and a line for each input field. */
export function describeOperation(operation: Operation): string {
  const schema = z.toJSONSchema(inputSchema(operation), { io: 'input' })
  const fields = Object.entries(schema.properties ?? {})
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  const lines = fields.map(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false
    return `  ${name.padEnd(width)}  ${describeField(field, isRequired)}`
  })
  return [operation.description, lines.join('\n') || 'It has no input.'].join('\n\n')
}

function describeField(field: Field, isRequired: boolean): string {
  const { description, default: given } = typeof field === 'boolean' ? {} : field
  const type = `${isRequired ? 'required ' : ''}${typeOf(field)}`
  const fallback = given === undefined ? '' : `, ${JSON.stringify(given)} by default`
  return `${type}${fallback}${description === undefined ? '' : `. ${description}`}`
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  'date-time': 'time',
  date: 'date',
  email: 'e-mail',
}

/** In a word or two; `parley operations` prints the whole schema. */
function typeOf(field: Field): string {
  if (typeof field === 'boolean') return 'any'
  const { enum: values, anyOf, type, format = '', items, properties } = field
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join('|')
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (type === 'array') return `list of ${typeOf(Array.isArray(items) ? true : (items ?? true))}`
  if (properties !== undefined) return `{${Object.keys(properties).join(', ')}}`
  return formats[format] ?? [type ?? 'any'].flat().join(' or ')
}
