import { isObject } from '#kernel/json.ts'
import { listOf, named, type Check, type Keyword, type Place } from './keyword.ts'

/** Keywords that apply further schemas to the same value. */

/** What the schema has seen counts only if the value matches it. */
function matches(check: Check, schema: unknown, value: unknown, at: Place): string | null {
  if (at.seen === null) return check.problemOf(schema, value, at)
  const seen = { names: new Set<string>(), items: new Set<number>() }
  const problem = check.problemOf(schema, value, { ...at, seen })
  if (problem !== null) return problem
  check.spend(seen.names.size + seen.items.size)
  for (const name of seen.names) at.seen.names.add(name)
  for (const item of seen.items) at.seen.items.add(item)
  return null
}

/** With one resource, a dynamic reference names what a plain one names. */
const references: Keyword = (check, { $ref, $dynamicRef }, value, at) => {
  for (const reference of [$ref, $dynamicRef]) {
    if (typeof reference !== 'string') continue
    const problem = matches(check, check.find(reference), value, at)
    if (problem !== null) return problem
  }
  return null
}

const alternatives: Keyword = (check, { allOf, anyOf, oneOf, not }, value, at) => {
  const problemOf = (one: unknown) => matches(check, one, value, at)
  for (const one of listOf(allOf)) {
    const problem = problemOf(one)
    if (problem !== null) return problem
  }
  if (Array.isArray(anyOf)) {
    // Each alternative that matches counts for what has been seen.
    const isMatched =
      at.seen === null
        ? anyOf.some((one) => problemOf(one) === null)
        : anyOf.filter((one) => problemOf(one) === null).length > 0
    if (!isMatched) return `${named(at)} must match one of the alternatives`
  }
  if (Array.isArray(oneOf) && oneOf.filter((one) => problemOf(one) === null).length !== 1)
    return `${named(at)} must match exactly one of the alternatives`
  const isExcluded =
    not !== undefined && check.problemOf(not, value, { ...at, seen: freshLike(at) }) === null
  return isExcluded ? `${named(at)} has a form that is excluded` : null
}

function freshLike({ seen }: Place): Place['seen'] {
  return seen === null ? null : { names: new Set(), items: new Set() }
}

const conditions: Keyword = (check, schema, value, at) => {
  if (schema.if === undefined) return null
  const isMet = matches(check, schema.if, value, at) === null
  return matches(check, isMet ? schema.then : schema.else, value, at)
}

const dependents: Keyword = (check, { dependentSchemas, dependencies }, value, at) => {
  if (!isObject(value)) return null
  for (const dependent of [dependentSchemas, dependencies]) {
    if (!isObject(dependent)) continue
    for (const [name, schema] of Object.entries(dependent)) {
      check.spend(1)
      const applies = Object.hasOwn(value, name) && !Array.isArray(schema)
      const problem = applies ? matches(check, schema, value, at) : null
      if (problem !== null) return problem
    }
  }
  return null
}

export const combinations: readonly Keyword[] = [references, alternatives, conditions, dependents]

/** Runs after all other keywords of a schema. */
export const unevaluated: Keyword = (check, schema, value, at) => {
  const { unevaluatedProperties: names, unevaluatedItems: items } = schema
  const { seen } = at
  if (seen === null) return null
  if (names !== undefined && isObject(value))
    for (const [name, one] of Object.entries(value)) {
      check.spend(1)
      if (seen.names.has(name)) continue
      const problem = check.problemOfPart(names, one, at, name)
      if (problem !== null) return problem
      seen.names.add(name)
    }
  if (items !== undefined && Array.isArray(value))
    for (const [index, one] of value.entries()) {
      check.spend(1)
      if (seen.items.has(index)) continue
      const problem = check.problemOfPart(items, one, at, index)
      if (problem !== null) return problem
      seen.items.add(index)
    }
  return null
}
