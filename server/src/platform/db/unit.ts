import { AsyncLocalStorage } from 'node:async_hooks'

/** A unit of work that runs or has ended. */
export class Unit {
  isOver = false
  /**
   * The first statement that failed. PostgreSQL then refuses every later statement and silently turns
   * the commit into a rollback, so on both engines a unit cannot continue after a failure.
   */
  failure: { readonly error: unknown } | null = null
}

/** The unit that the running code belongs to, across awaits; shared by all open databases. */
const running = new AsyncLocalStorage<Unit>()

/**
 * Runs the code of a unit. Code that it did not await finds the unit closed.
 *
 * @throws the code's error, or a statement's failure even if the code caught it
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

/** @throws Error inside a unit, because the operation would not be part of it */
export function refuseInsideUnit(refusal: string): void {
  if (running.getStore()?.isOver === false) throw new Error(refusal)
}

export const nestedWrite = 'A unit of work must not begin another: pass its tx on'
export const strayRead = 'A unit of work reads through its tx: another reader sees another state'

/** @throws Error when the running code is not of this unit, or the unit cannot continue */
export function assertInside(unit: Unit | null): asserts unit is Unit {
  if (unit === null || running.getStore() !== unit) throw new Error(strayTx)
  assertOpen(unit)
}

/** @throws Error when the unit has ended or cannot continue */
export function assertOpen(unit: Unit): void {
  if (unit.isOver) throw new Error(strayTx)
  if (unit.failure !== null) throw unit.failure.error
}

const strayTx = 'A tx was used outside its unit of work'
