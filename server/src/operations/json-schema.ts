import { z } from 'zod'
import type { Operation } from './operation.ts'
import { inputSchema } from './run-operation.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** An operation's input as JSON Schema 2020-12: fields with defaults are optional. */
export function inputJsonSchema(operation: Operation): JsonSchema {
  return jsonSchema(inputSchema(operation), 'input')
}

/** An operation's output as JSON Schema 2020-12: every field is required. */
export function outputJsonSchema(operation: Operation): JsonSchema {
  return jsonSchema(operation.output, 'output')
}

/** Removed from outputs: a reader needs no bounds there, and they cost tokens in every tool. */
const bounds = [
  'default',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
] as const

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    // zod adds a pattern of hundreds of characters to each format; the format is enough.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (io === 'output') for (const bound of bounds) delete jsonSchema[bound]
      // Names in JSON are strings.
      if (jsonSchema.type === 'object' && isAnyString(jsonSchema.propertyNames))
        delete jsonSchema.propertyNames
    },
  })
  return rest
}

function isAnyString(schema: unknown): boolean {
  return JSON.stringify(schema) === '{"type":"string"}'
}
