import type { Value } from './database.ts'

const nul = '\u0000'
const replacement = '\uFFFD'

/**
 * Passes only primitives and bytes to a database: the engines would store an object differently,
 * `undefined` is a forgotten value, a flag is 0 or 1 instead of a boolean, and NaN is null on one
 * engine and an error on the other.
 *
 * @returns the same parameters, with U+0000 in texts replaced by U+FFFD, because PostgreSQL's text
 *   cannot contain it
 * @throws TypeError with the position of the parameter, never its value
 */
export function bindable(parameters: readonly unknown[]): Value[] {
  return parameters.map((value, index) => {
    if (typeof value === 'string')
      return value.includes(nul) ? value.replaceAll(nul, replacement) : value
    if (isBindable(value)) return value
    const what = typeof value === 'number' ? 'not finite' : `of type ${typeof value}`
    throw new TypeError(`Parameter ${index + 1} is ${what}; the database takes primitives only`)
  })
}

function isBindable(value: unknown): value is Value {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'bigint' || value instanceof Uint8Array
}
