import { z } from 'zod'
import type { Operation } from './operation.ts'
import { inputSchema } from './run-operation.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What an operation takes, as JSON Schema 2020-12: defaults may be left out. */
export function inputJsonSchema(operation: Operation): JsonSchema {
  return jsonSchema(inputSchema(operation), 'input')
}

/** What an operation answers, as JSON Schema 2020-12: every field is there. */
export function outputJsonSchema(operation: Operation): JsonSchema {
  return jsonSchema(operation.output, 'output')
}

/** Bounds on input tell a reader of output nothing, and every tool pays for them in tokens. */
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
    // zod spells a format's meaning out as a pattern of hundreds of characters; the format says it.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (io === 'output') for (const bound of bounds) delete jsonSchema[bound]
    },
  })
  return rest
}
