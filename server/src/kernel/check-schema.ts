import { isObject } from './json.ts'

/**
 * Checks a value against a JSON Schema (2020-12), for schemas that a caller wrote. Every step counts
 * towards a limit, because references and alternatives can take exponential time. `pattern`, `format`
 * and `patternProperties` are not checked: a pattern is one person's code that would run on another
 * person's text. A reference must be within the schema.
 */

/** Takes well under 100 ms. */
const mostSteps = 100_000
const deepest = 200

export class SchemaTooComplex extends Error {
  override readonly name = 'SchemaTooComplex'
}

/**
 * @returns what is wrong with the value, and where; null when it matches
 * @throws SchemaTooComplex
 */
export function checkSchema(schema: unknown, value: unknown): string | null {
  return new SchemaCheck(schema).problemOf(schema, value, '', 0)
}

type Schema = Readonly<Record<string, unknown>>
type Keyword = (check: SchemaCheck, schema: Schema, value: unknown, at: Place) => string | null

interface Place {
  readonly path: string
  readonly depth: number
}

class SchemaCheck {
  readonly #root: unknown
  #steps = 0

  constructor(root: unknown) {
    this.#root = root
  }

  problemOf(schema: unknown, value: unknown, path: string, depth: number): string | null {
    this.spend(1)
    if (depth > deepest) throw new SchemaTooComplex()
    if (schema === false) return `${named(path)} must not be there`
    if (!isObject(schema)) return null
    for (const keyword of keywords) {
      const problem = keyword(this, schema, value, { path, depth: depth + 1 })
      if (problem !== null) return problem
    }
    return null
  }

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > mostSteps) throw new SchemaTooComplex()
  }

  /** What `#/$defs/name` names. */
  find(reference: string): unknown {
    let found = this.#root
    const parts = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
    for (const part of parts) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      const next: unknown = Array.isArray(found) ? found[Number(name)] : undefined
      found = isObject(found) && Object.hasOwn(found, name) ? found[name] : next
    }
    return found
  }
}

function named(path: string): string {
  return path === '' ? 'the value' : path
}

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const type: Keyword = (_, schema, value, { path }) => {
  if (schema.type === undefined) return null
  const types = [schema.type].flat().map(String)
  if (types.some((name) => typeTests[name]?.(value) ?? true)) return null
  return `${named(path)} must be ${types.join(' or ')}`
}

/** Equal JSON values have the same text once their keys are sorted. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(byKey)) : one,
  )
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

const values: Keyword = (check, schema, value, { path }) => {
  const { enum: allowed, const: only } = schema
  if (allowed === undefined && only === undefined) return null
  const written = textOf(value)
  check.spend(listOf(allowed).length + written.length / 100)
  if (Array.isArray(allowed) && !allowed.some((one) => textOf(one) === written))
    return `${named(path)} must be one of ${JSON.stringify(allowed).slice(0, 300)}`
  if (only !== undefined && textOf(only) !== written)
    return `${named(path)} must be ${JSON.stringify(only).slice(0, 300)}`
  return null
}

const reference: Keyword = (check, { $ref: ref }, value, { path, depth }) =>
  typeof ref === 'string' && ref.startsWith('#')
    ? check.problemOf(check.find(ref), value, path, depth)
    : null

const alternatives: Keyword = (check, schema, value, { path, depth }) => {
  const problemOf = (one: unknown) => check.problemOf(one, value, path, depth)
  const { allOf, anyOf, oneOf, not } = schema
  for (const one of listOf(allOf)) {
    const problem = problemOf(one)
    if (problem !== null) return problem
  }
  if (Array.isArray(anyOf) && listOf(anyOf).every((one) => problemOf(one) !== null))
    return `${named(path)} must match one of the alternatives`
  if (Array.isArray(oneOf) && listOf(oneOf).filter((one) => problemOf(one) === null).length !== 1)
    return `${named(path)} must match exactly one of the alternatives`
  if (not !== undefined && problemOf(not) === null)
    return `${named(path)} has a form that is excluded`
  if (schema.if === undefined) return null
  return problemOf(problemOf(schema.if) === null ? schema.then : schema.else)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const object: Keyword = (check, schema, value, { path, depth }) => {
  if (!isObject(value)) return null
  const { properties, required, additionalProperties, patternProperties } = schema
  check.spend(listOf(required).length)
  const missing = listOf(required).find((name) => !Object.hasOwn(value, String(name)))
  if (missing !== undefined) return `${named(path)} must have ${String(missing)}`
  const known = isObject(properties) ? properties : {}
  const further = patternProperties === undefined ? additionalProperties : undefined
  for (const [name, one] of Object.entries(value)) {
    const wanted = Object.hasOwn(known, name) ? known[name] : further
    const problem = check.problemOf(wanted, one, `${path}/${name}`, depth)
    if (problem !== null) return problem
  }
  const count = Object.keys(value).length
  return outside(schema, 'Properties', count, `${named(path)} has ${count} properties`)
}

const array: Keyword = (check, schema, value, { path, depth }) => {
  if (!Array.isArray(value)) return null
  const { items, prefixItems, uniqueItems } = schema
  const first = listOf(prefixItems)
  for (const [index, one] of value.entries()) {
    const wanted = index < first.length ? first[index] : items
    const problem = check.problemOf(wanted, one, `${path}/${index}`, depth)
    if (problem !== null) return problem
  }
  if (uniqueItems === true && new Set(value.map(textOf)).size < value.length)
    return `${named(path)} must have no item twice`
  return outside(schema, 'Items', value.length, `${named(path)} has ${value.length} items`)
}

const text: Keyword = (_, schema, value, { path }) => {
  if (typeof value !== 'string') return null
  const length = [...value].length
  return outside(schema, 'Length', length, `${named(path)} is ${length} characters long`)
}

/** `minItems`, `maxItems` and the like. */
function outside(schema: Schema, of: string, count: number, is: string): string | null {
  const { [`min${of}`]: least, [`max${of}`]: most } = schema
  if (typeof least === 'number' && count < least) return `${is}, fewer than ${least}`
  return typeof most === 'number' && count > most ? `${is}, more than ${most}` : null
}

const number: Keyword = (_, schema, value, { path }) => {
  if (typeof value !== 'number') return null
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isLow =
    (typeof minimum === 'number' && value < minimum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
  const isHigh =
    (typeof maximum === 'number' && value > maximum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  if (isLow) return `${named(path)} is too low`
  if (isHigh) return `${named(path)} is too high`
  if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf))
    return `${named(path)} must be a multiple of ${multipleOf}`
  return null
}

const keywords: readonly Keyword[] = [
  type,
  values,
  reference,
  alternatives,
  object,
  array,
  text,
  number,
]
