import { isObject } from '#kernel/json.ts'
import { named, outside, shown, type Keyword } from './keyword.ts'

/** Keywords that look at a value alone, without its parts. */

export const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const type: Keyword = (check, { type: wanted }, value, at) => {
  if (wanted === undefined) return null
  const types = (Array.isArray(wanted) ? wanted : [wanted]) as readonly unknown[] // Nothing is known of them.
  check.spend(types.length)
  if (types.some((name) => typeTests[String(name)]?.(value) ?? true)) return null
  return `${named(at)} must be ${shown(types.join(' or '))}`
}

const values: Keyword = (check, schema, value, at) => {
  const { enum: allowed } = schema
  const hasConst = Object.hasOwn(schema, 'const')
  if (!Array.isArray(allowed) && !hasConst) return null
  const written = check.textOf(value)
  if (Array.isArray(allowed)) {
    const texts = check.textsOf(allowed)
    if (!texts.all.has(written)) return `${named(at)} must be one of ${texts.first}`
  }
  if (!hasConst) return null
  const only = check.textOf(schema.const)
  return only === written ? null : `${named(at)} must be ${shown(only)}`
}

const text: Keyword = (check, schema, value, at) => {
  if (typeof value !== 'string') return null
  const { minLength, maxLength, pattern } = schema
  if (minLength !== undefined || maxLength !== undefined) {
    check.spend(value.length / 16)
    const length = charactersOf(value)
    const problem = outside(schema, 'Length', length, `${named(at)} is ${length} characters long`)
    if (problem !== null) return problem
  }
  if (typeof pattern !== 'string' || check.matchesPattern(pattern, value)) return null
  return `${named(at)} must match the pattern ${shown(pattern)}`
}

function charactersOf(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

const number: Keyword = (_, schema, value, at) => {
  if (typeof value !== 'number') return null
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isLow =
    (typeof minimum === 'number' && value < minimum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
  const isHigh =
    (typeof maximum === 'number' && value > maximum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  if (isLow) return `${named(at)} is too low`
  if (isHigh) return `${named(at)} is too high`
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return `${named(at)} must be a multiple of ${multipleOf}`
  return null
}

/** 0.07 is a multiple of 0.01, although their quotient in floating point is no whole number. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  const off = Math.abs(quotient - Math.round(quotient))
  return !(off > Math.abs(quotient) * Number.EPSILON * 2)
}

export const valueKeywords: readonly Keyword[] = [type, values, text, number]
