import { z } from 'zod'
import { checkSchema, SchemaTooComplex } from '#kernel/json-schema/check-schema.ts'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

const schemaTask = z.object({ schemaBytes: z.int() })

export type SchemaTask = z.infer<typeof schemaTask>

/** Takes some seconds; a pattern can take longer, until the process is ended. */
const mostSteps = 5_000_000

/** Runs in a process of its own, see BoundedWorkers: checks an answer, which follows its schema. */
export const runTask: TaskRunner = async function* (input, bytes): AsyncGenerator<string | null> {
  const { schemaBytes } = schemaTask.parse(input)
  const all = Buffer.concat(await Array.fromAsync(bytes))
  const schema: unknown = JSON.parse(all.subarray(0, schemaBytes).toString())
  const value: unknown = JSON.parse(all.subarray(schemaBytes).toString())
  yield problemOf(schema, value)
}

function problemOf(schema: unknown, value: unknown): string | null {
  try {
    return checkSchema(schema, value, { mostSteps, runsPatterns: true })
  } catch (error) {
    if (error instanceof SchemaTooComplex) return 'its schema is too complex to be checked'
    throw error
  }
}
