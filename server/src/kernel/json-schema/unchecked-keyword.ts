import { isObject } from '#kernel/json.ts'
import { findInSchema } from './find-in-schema.ts'
import { regExpOf } from './keyword.ts'
import { typeTests } from './value-keywords.ts'

/** What `checkSchema` would not check as it is meant. */
export interface Unchecked {
  /** Where in the schema it is, as a JSON pointer. */
  readonly at: string
  /** Continues the place: `is not ...`. */
  readonly problem: string
}

/** Keywords and references in a schema; to look at as many takes a few milliseconds. */
const most = 20_000
const longestPattern = 1_000

/** @returns the first part of the schema that the check would pass over or read differently */
export function findUnchecked(schema: unknown): Unchecked | null {
  return new Search(schema).search(schema, '')
}

class Search {
  readonly #root: unknown
  readonly #references = new Map<string, boolean>()
  #left = most

  constructor(root: unknown) {
    this.#root = root
  }

  search(schema: unknown, at: string): Unchecked | null {
    if (typeof schema === 'boolean') return null
    if (!isObject(schema)) return { at, problem: 'is not a schema' }
    for (const name in schema) {
      const value = schema[name]
      this.#left -= 1
      if (this.#left < 0) return tooLarge
      if (value === undefined || isAnnotation(name)) continue
      const found = this.#searchKeyword(name, value, `${at}/${name.slice(0, 64)}`)
      if (found !== null) return found
    }
    return null
  }

  #searchKeyword(name: string, value: unknown, at: string): Unchecked | null {
    if (name === '$id') return at === '/$id' ? null : { at, problem: 'is a schema of its own' }
    if (name === '$ref' || name === '$dynamicRef') return this.#searchReference(value, at)
    const test = Object.hasOwn(valueTests, name) ? valueTests[name] : undefined
    if (test !== undefined)
      return test(value) ? null : { at, problem: 'does not have a known value' }
    const isList = Array.isArray(value)
    if (ofOne.has(name) && !isList) return this.search(value, at)
    if (ofList.has(name) && isList) return this.#searchEach(Object.entries(value), at)
    if (ofMap.has(name) && isObject(value)) {
      const wrong =
        name === 'patternProperties' && Object.keys(value).find((one) => !isPattern(one))
      if (typeof wrong === 'string')
        return { at, problem: 'has a name that is not a usable pattern' }
      const entries = Object.entries(value)
      const lists = name === 'dependencies' ? entries.filter(([, one]) => !isNames(one)) : entries
      return this.#searchEach(lists, at)
    }
    const isKnown = ofOne.has(name) || ofList.has(name) || ofMap.has(name)
    return { at, problem: isKnown ? 'does not have a known value' : 'is not a known keyword' }
  }

  #searchEach(schemas: readonly (readonly [string, unknown])[], at: string): Unchecked | null {
    for (const [name, schema] of schemas) {
      this.#left -= 1
      if (this.#left < 0) return tooLarge
      const found = this.search(schema, `${at}/${name.slice(0, 64)}`)
      if (found !== null) return found
    }
    return null
  }

  #searchReference(value: unknown, at: string): Unchecked | null {
    if (typeof value !== 'string') return { at, problem: 'is not a reference' }
    let isFound = this.#references.get(value)
    if (isFound === undefined) {
      const spend = (steps: number) => (this.#left -= steps)
      isFound = findInSchema(this.#root, value, spend) !== undefined
      this.#references.set(value, isFound)
    }
    if (this.#left < 0) return tooLarge
    return isFound ? null : { at, problem: 'does not name a part of the schema' }
  }
}

const tooLarge: Unchecked = { at: '', problem: `has more than ${most} keywords` }

/** They describe, and no answer violates them. `format` is one of them in 2020-12. */
const annotations: ReadonlySet<string> = new Set([
  '$anchor',
  '$comment',
  '$dynamicAnchor',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'deprecated',
  'description',
  'discriminator',
  'example',
  'examples',
  'format',
  'readOnly',
  'title',
  'writeOnly',
])

export function isAnnotation(name: string): boolean {
  return annotations.has(name) || name.startsWith('x-')
}

const isNumber = (value: unknown) => typeof value === 'number'
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isTypes(value: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value]
  return types.every((one) => typeof one === 'string' && Object.hasOwn(typeTests, one))
}

function isPattern(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestPattern && regExpOf(value) !== null
}

/** Keywords whose values are no schemas. */
const valueTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: isTypes,
  enum: Array.isArray,
  const: () => true,
  required: isNames,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isNames),
  pattern: isPattern,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: (value) => typeof value === 'boolean',
}

const ofOne: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const ofList: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const ofMap: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

/** Whether the value of a keyword can be a list of schemas. */
export function isSchemaList(name: string): boolean {
  return ofList.has(name)
}

/** Whether the value of a keyword is an object of schemas. */
export function isSchemaMap(name: string): boolean {
  return ofMap.has(name)
}
