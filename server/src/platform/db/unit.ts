import { AsyncLocalStorage } from 'node:async_hooks'

/** A unit of work that runs, or did. */
export class Unit {
  isOver = false
  /**
   * The first statement that failed. PostgreSQL refuses every later statement and silently turns
   * the commit into a rollback, so on either engine a unit cannot continue after it.
   */
  failure: { readonly error: unknown } | null = null
}

/** The unit that the running code belongs to, across awaits; shared by all open databases. */
const running = new AsyncLocalStorage<Unit>()

/**
 * Runs the code of a unit. Code that it started without awaiting finds the unit closed.
 *
 * @throws what the code throws, and the failure of a statement even if the code caught it
 */
export async function runInUnit<T>(unit: Unit, code: () => Promise<T>): Promise<T> {
  try {
    const value = await running.run(unit, code)
    if (unit.failure !== null) throw unit.failure.error
    return value
  } finally {
    unit.isOver = true
  }
}

/** @throws Error inside a unit: what it does must be part of it, and this would not be */
export function refuseInsideUnit(refusal: string): void {
  if (running.getStore()?.isOver === false) throw new Error(refusal)
}

export const nestedWrite = 'A unit of work must not begin another: pass it its tx'
export const strayRead = 'A unit of work reads through its tx: another reader sees another moment'

/** @throws Error when the code that runs is not of this unit, or the unit cannot go on */
export function assertInside(unit: Unit | null): asserts unit is Unit {
  if (unit === null || unit.isOver || running.getStore() !== unit)
    throw new Error('A tx is used outside its unit of work')
  if (unit.failure !== null) throw unit.failure.error
}
