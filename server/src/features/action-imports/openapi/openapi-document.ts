import { parse } from 'yaml'
import { decodedOrSame } from '#features/actions/index.ts'
import { isObject, isTooDeep } from '#kernel/json.ts'
import { OpenApiProblem } from './openapi-problem.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly root: Fields
  /** Schemas that may still be read: references can multiply without end. */
  readonly budget: { left: number }
  /** Follows a local reference. A broken or circular one becomes an empty object. */
  resolve(value: unknown): Fields
}

/** Schemas read per document. */
const maxSchemas = 20_000

/**
 * Reads an OpenAPI 3 document, JSON or YAML.
 *
 * @throws OpenApiProblem
 */
export function readOpenApi(text: string): OpenApiDocument {
  const root = asFields(readJson(text) ?? readYaml(text))
  if (root === null) throw new OpenApiProblem('The document is not an object in JSON or YAML.')
  if ('swagger' in root)
    throw new OpenApiProblem('This is Swagger 2; convert it to OpenAPI 3 first.')
  if (!String(root.openapi ?? '').startsWith('3.'))
    throw new OpenApiProblem('The document does not say openapi: 3.x.')
  const budget = { left: maxSchemas }
  return { root, budget, resolve: (value) => resolve(root, value) }
}

/** Null for a text that is not JSON. @throws OpenApiProblem */
function readJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // It may be YAML.
    return null
  }
  if (isTooDeep(text)) throw new OpenApiProblem('The document is nested too deeply.')
  return value
}

function readYaml(text: string): unknown {
  try {
    // The library refuses aliases that multiply.
    return parse(text, { maxAliasCount: 100, logLevel: 'error' })
  } catch {
    // For the person who gave the document, any error means that it is not YAML.
    return null
  }
}

/** The longest reference that is followed: twenty names of usual length. */
const maxReferenceLength = 1000

/**
 * RFC 6901 within the document; other documents are not fetched. Resolver libraries replace every
 * reference of a document at once, without a bound on what small documents expand to.
 */
function resolve(root: Fields, value: unknown): Fields {
  let fields = asFields(value)
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = fields?.$ref
    if (typeof reference !== 'string') return fields ?? {}
    fields = asFields(follow(root, reference))
  }
  return {}
}

function follow(root: Fields, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > maxReferenceLength) return null
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decodedOrSame(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  let at: unknown = root
  for (const step of steps) {
    const fields = asFields(at)
    if (fields === null || !Object.hasOwn(fields, step)) return null
    at = fields[step]
  }
  return at
}

export function asFields(value: unknown): Fields | null {
  return isObject(value) ? value : null
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
