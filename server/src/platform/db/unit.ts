import { AsyncLocalStorage } from 'node:async_hooks'

/** A unit of work that runs, or did. */
export class Unit {
  isOver = false
  /**
   * The first statement that failed. PostgreSQL takes no further statement after it and turns the
   * commit into a rollback, without a word; so a unit cannot go on after it on either engine.
   */
  failure: { readonly error: unknown } | null = null
}

/** Which unit the running code belongs to, whatever it awaits; shared by all open databases. */
const running = new AsyncLocalStorage<Unit>()

/**
 * Runs a unit's code. What the code started and did not await finds its unit over.
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
