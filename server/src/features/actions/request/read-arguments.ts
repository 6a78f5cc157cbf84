import { z } from 'zod'
import type { Arguments, ReadArguments } from '#features/tool-calls/index.ts'
import type { ActionParameter } from './action-definition.ts'
import { argumentsSchema } from './argument-schema.ts'

/**
 * Validates arguments against the schema that the model was given. `null` for an optional argument counts
 * as left out, because many models write it so.
 */
export function readArguments(
  parameters: readonly ActionParameter[],
  given: Arguments,
): ReadArguments {
  const schema = argumentsSchema(parameters)
  const required = new Set(schema.required as readonly string[]) // argumentsSchema builds a list.
  const values = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== null || required.has(name)),
  )
  const parsed = z.fromJSONSchema(schema).safeParse(values)
  if (parsed.success) return { ok: true, values }
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return { ok: false, problem: `The arguments are not valid: ${problems.join('; ')}.`, values }
}
