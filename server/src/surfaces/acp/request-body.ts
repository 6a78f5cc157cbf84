import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { isJson, parseBody, readText } from '#surfaces/http/api-request.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

export const bodyFaults = defineFaults({
  field_missing: withFacts<{ param: string; problem: string }>('invalid'),
  field_invalid: withFacts<{ param: string; problem: string }>('invalid'),
  payment_method_unsupported: withFacts<{ param: string }>('invalid'),
})

/**
 * A JSON body; `{}` if the request has none, as in a bare cancel. Only reading shows whether there
 * is a body: a request may declare neither its length nor its type.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json, json_refused
 */
export async function readJsonOrNothing(c: Http, maxBytes: number): Promise<unknown> {
  const text = await readText(c.req, maxBytes)
  if (text === '') return {}
  if (!isJson(c.req.header('content-type'))) throw new Fault(requestFaults.wrong_content_type)
  return await parseBody(text, maxBytes)
}

/**
 * Equal for bodies with the same meaning (protocol, RFC §6.2): the order of keys and the notation
 * of numbers do not matter; the order of a list and the difference between null and absent do.
 */
export function bodyHash(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex')
}

/** A list and an object with the same parts remain different: the first element names the type. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)]
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // In pairs `__proto__` is a key like any other.
  return ['object', ...entries.map(([key, inner]) => [key, sorted(inner)])]
}

/**
 * Parses a body by its schema; an error names the JSONPath of the first problem (RFC 9535).
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
