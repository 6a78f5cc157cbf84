import type { Value } from './database.ts'

/** PostgreSQL's text cannot hold U+0000; it becomes what Unicode has for the unrepresentable. */
const nul = '\u0000'
const replacement = '\uFFFD'

/**
 * Lets only primitives and bytes reach a database: an object would be stored as something else on
 * each engine, `undefined` is a forgotten value, a boolean is not a flag (0 or 1) here, and NaN is
 * null on one engine and an error on the other.
 *
 * @returns the same parameters, with U+0000 in texts replaced by U+FFFD
 * @throws TypeError naming the place of the parameter, never its value
 */
export function bindable(parameters: readonly unknown[]): Value[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (typeof value === 'string') {
      if (value.includes(nul)) return withoutNul(parameters)
      continue
    }
    if (!isBindable(value)) throw new TypeError(refusal(value, index))
  }
  // Every one was looked at above; neither adapter changes what it is given.
  return parameters as Value[]
}

function isBindable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'bigint' || value instanceof Uint8Array
}

function withoutNul(parameters: readonly unknown[]): Value[] {
  return bindable(
    parameters.map((value) =>
      typeof value === 'string' ? value.replaceAll(nul, replacement) : value,
    ),
  )
}

function refusal(value: unknown, index: number): string {
  const what = typeof value === 'number' ? 'not finite' : `of type ${typeof value}`
  return `Parameter ${index + 1} is ${what}; the database takes primitives only`
}
