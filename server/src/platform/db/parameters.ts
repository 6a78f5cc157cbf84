/**
 * Lets only primitives and bytes reach a database: an object would be stored as something else on
 * each engine, `undefined` is a forgotten value, and a boolean is not a flag (0 or 1) here.
 *
 * @throws TypeError naming the place of the parameter, never its value
 */
export function checkParameters(parameters: readonly unknown[]): void {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (value === null || value instanceof Uint8Array) continue
    const type = typeof value
    if (type !== 'string' && type !== 'number' && type !== 'bigint')
      throw new TypeError(`Parameter ${index + 1} is ${type}; the database takes primitives only`)
  }
}
