import type { z } from 'zod'
import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'

export const bodyFaults = defineFaults({
  field_missing: withFacts<{ param: string; problem: string }>('invalid'),
  field_invalid: withFacts<{ param: string; problem: string }>('invalid'),
  payment_method_unsupported: withFacts<{ param: string }>('invalid'),
})

/**
 * Parses a body by its schema; the first problem is refused by its JSONPath (RFC 9535).
 *
 * @throws Fault field_missing, field_invalid
 */
export function readBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path ?? []
  const param = jsonPath(path)
  const isMissing = issue?.code === 'invalid_type' && valueAt(body, path) === undefined
  const fault = isMissing ? bodyFaults.field_missing : bodyFaults.field_invalid
  const name = param === '$' ? 'The request body' : param.slice(2)
  const problem = isMissing ? `${name} is required` : `${name}: ${issue?.message ?? 'is not valid'}`
  throw new Fault(fault, { param, problem })
}

function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    '$',
  )
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key] // an object has any key or undefined
        : undefined,
    body,
  )
}
