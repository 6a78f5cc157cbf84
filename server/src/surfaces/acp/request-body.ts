import { createHash } from 'node:crypto'
import { Fault } from '#kernel/fault.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { isDeeperThan, isJson, readText } from '#surfaces/http/api-request.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { bodyFaults } from './json-path.ts'

/**
 * A JSON body; `{}` when there is none, as in a bare cancel. Only reading it shows whether there is
 * one: a request may declare neither its length nor its type.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json, field_invalid
 */
export async function readJsonOrNothing(c: Http, maxBytes: number): Promise<unknown> {
  const text = await readText(c.req, maxBytes)
  if (text === '') return {}
  if (!isJson(c.req.header('content-type'))) throw new Fault(requestFaults.wrong_content_type)
  const body = parse(text)
  if (!isDeeperThan(body, maxLevels)) return body
  const problem = 'The request body is nested too deeply'
  throw new Fault(bodyFaults.field_invalid, { param: '$', problem })
}

/** More levels than any valid request has. */
const maxLevels = 32

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Fault(requestFaults.malformed_json, {}, { cause })
  }
}

/**
 * The same for bodies that mean the same (protocol, RFC §6.2): the order of keys and the spelling
 * of numbers make no difference; the order of a list and null against absent do.
 */
export function bodyHash(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex')
}

/** A list and an object of the same parts stay two things: the first element says which it was. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)]
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // In pairs `__proto__` is a key like any other.
  return ['object', ...entries.map(([key, inner]) => [key, sorted(inner)])]
}
