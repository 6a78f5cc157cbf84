import type { HonoRequest } from 'hono'
import { defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import { isForm, readForm } from '#surfaces/http/read-form.ts'
import { isObject } from '#kernel/json.ts'
import { readJson } from '#surfaces/http/api-request.ts'

export const parameterFaults = defineFaults({
  parameter_missing: withFacts<{ parameter: string }>('invalid'),
  parameter_repeated: withFacts<{ parameter: string }>('invalid'),
  parameter_invalid: withFacts<{ parameter: string }>('invalid'),
  /** JSON, but not an object. */
  body_invalid: 'invalid',
  client_authentication_unsupported: 'unauthenticated',
})

const maxParameterLength = 4096
const maxBodyBytes = 64 * 1024

/** RFC 8707 §2: the only parameter that may be repeated. */
const repeatable = 'resource'

/** The known parameters; all others are ignored, whatever their value (RFC 6749 §3.1 and §3.2). */
const names = [
  'client_id',
  'code',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'response_type',
  'scope',
  'state',
  'token',
] as const
type Name = (typeof names)[number]

/**
 * The parameters of a request to the authorization server, from a query, a form or JSON. Each is a
 * string and occurs once. An empty one counts as absent (RFC 6749 §3.1).
 */
export interface Parameters {
  /** @throws Fault parameter_missing */
  readonly required: (name: Name) => string
  readonly optional: (name: Name) => string | undefined
  readonly resources: readonly string[]
}

/** @throws Fault parameter_repeated, parameter_invalid */
export function queryParameters(query: URLSearchParams): Parameters {
  return parametersOf([...query.entries()])
}

/**
 * Reads a form or, as the interface requires, a JSON object.
 *
 * @throws Fault wrong_content_type, body_too_large, malformed_json, body_invalid,
 *   parameter_repeated, parameter_invalid
 */
export async function bodyParameters(request: HonoRequest): Promise<Parameters> {
  if (isForm(request.header('content-type')))
    return parametersOf([...(await readForm(request, maxBodyBytes)).entries()])
  return parametersOf(jsonEntries(await readJson(request, maxBodyBytes)))
}

function jsonEntries(body: unknown): [string, unknown][] {
  if (!isObject(body)) throw new Fault(parameterFaults.body_invalid)
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    name === repeatable && Array.isArray(value)
      ? value.map((item: unknown): [string, unknown] => [name, item])
      : [[name, value]],
  )
}

function parametersOf(entries: readonly (readonly [string, unknown])[]): Parameters {
  const seen = new Set<string>()
  const once = new Map<Name, string>()
  const resources: string[] = []
  for (const [name, value] of entries) {
    if (value === '' || value === null) continue
    if (name === repeatable) {
      resources.push(requireText(name, value))
      continue
    }
    if (seen.has(name)) throw new Fault(parameterFaults.parameter_repeated, fact(name))
    seen.add(name)
    if (isName(name)) once.set(name, requireText(name, value))
  }
  return {
    resources,
    optional: (name) => once.get(name),
    required(name) {
      const value = once.get(name)
      if (value === undefined) throw new Fault(parameterFaults.parameter_missing, fact(name))
      return value
    },
  }
}

function isName(name: string): name is Name {
  return names.some((known) => known === name)
}

/** A value such as `{"code":{"$ne":1}}` or a control character must never reach a database. */
function requireText(name: string, value: unknown): string {
  const isText = typeof value === 'string' && value.length <= maxParameterLength
  if (isText && value.isWellFormed() && !value.includes('\0')) return value
  throw new Fault(parameterFaults.parameter_invalid, fact(name))
}

/** The name in a form that an error can show, because the caller chose it. */
function fact(name: string) {
  return { parameter: /^[\w ]{1,60}$/.test(name) ? name : 'a parameter' }
}
