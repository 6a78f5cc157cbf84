import { isObject } from '#kernel/json.ts'
import {
  listOf,
  named,
  outside,
  type Check,
  type Keyword,
  type Place,
  type Schema,
} from './keyword.ts'

/** Keywords about the properties of an object and the items of a list. */

type Fields = Readonly<Record<string, unknown>>

const names: Keyword = (check, schema, value, at) => {
  if (!isObject(value)) return null
  const { propertyNames } = schema
  const missing = missingOf(check, schema.required, value)
  if (missing !== null) return `${named(at)} must have ${missing}`
  // `dependencies` is what earlier drafts have for both keywords of 2020-12.
  for (const dependent of [schema.dependentRequired, schema.dependencies])
    if (isObject(dependent))
      for (const [name, others] of entriesOf(check, dependent)) {
        const lacks = Object.hasOwn(value, name) ? missingOf(check, others, value) : null
        if (lacks !== null) return `${named(at)} must have ${lacks} because it has ${name}`
      }
  const all = Object.keys(value)
  check.spend(all.length / 8)
  if (propertyNames !== undefined)
    for (const name of all) {
      const problem = check.problemOf(propertyNames, name, { ...at, seen: null })
      if (problem !== null) return `${named(at)} has a property whose name is not allowed`
    }
  return outside(schema, 'Properties', all.length, `${named(at)} has ${all.length} properties`)
}

function missingOf(check: Check, required: unknown, value: Fields): string | null {
  const list = listOf(required)
  check.spend(list.length)
  const missing = list.find((name) => !Object.hasOwn(value, String(name)))
  return missing === undefined ? null : String(missing)
}

function entriesOf(check: Check, fields: Fields): [string, unknown][] {
  const entries = Object.entries(fields)
  check.spend(entries.length)
  return entries
}

const properties: Keyword = (check, schema, value, at) => {
  if (!isObject(value)) return null
  const { additionalProperties: further } = schema
  const known = isObject(schema.properties) ? schema.properties : {}
  const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {}
  for (const [name, one] of Object.entries(value)) {
    const wanted: unknown[] = Object.hasOwn(known, name) ? [known[name]] : []
    for (const [pattern, matched] of entriesOf(check, patterns))
      if (check.matchesPattern(pattern, name)) wanted.push(matched)
    if (wanted.length === 0 && further !== undefined) wanted.push(further)
    if (wanted.length > 0) at.seen?.names.add(name)
    check.spend(1)
    for (const each of wanted) {
      const problem = check.problemOfPart(each, one, at, name)
      if (problem !== null) return problem
    }
  }
  return null
}

const items: Keyword = (check, schema, value, at) => {
  if (!Array.isArray(value)) return null
  // Earlier drafts have a list in `items`, and `additionalItems` for what follows.
  const isOlder = Array.isArray(schema.items)
  const first = listOf(isOlder ? schema.items : schema.prefixItems)
  const rest = isOlder ? schema.additionalItems : schema.items
  for (const [index, one] of value.entries()) {
    const wanted = index < first.length ? first[index] : rest
    if (wanted !== undefined) at.seen?.items.add(index)
    const problem = check.problemOfPart(wanted, one, at, index)
    if (problem !== null) return problem
  }
  if (schema.uniqueItems === true) {
    const texts = new Set(value.map((one) => check.textOf(one)))
    if (texts.size < value.length) return `${named(at)} must have no item twice`
  }
  return (
    contained(check, schema, value, at) ??
    outside(schema, 'Items', value.length, `${named(at)} has ${value.length} items`)
  )
}

function contained(
  check: Check,
  schema: Schema,
  value: readonly unknown[],
  at: Place,
): string | null {
  const { contains, minContains = 1 } = schema
  if (contains === undefined) return null
  let count = 0
  for (const [index, one] of value.entries()) {
    if (check.problemOfPart(contains, one, at, index) !== null) continue
    count += 1
    at.seen?.items.add(index)
  }
  const is = `${named(at)} has ${count} of the items that it must contain`
  return outside({ ...schema, minContains }, 'Contains', count, is)
}

export const partKeywords: readonly Keyword[] = [names, properties, items]
