import { AsyncLocalStorage } from 'node:async_hooks'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Tx } from '#platform/db/database.ts'
import { nestedWrite, refuseInsideUnit } from '#platform/db/unit.ts'
import { isCancelled } from './postgres-errors.ts'
import type { UnitCode } from './unit-connection.ts'

interface Waiting extends UnitCode<unknown> {
  readonly since: number
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface RecordUnitsOptions {
  /** Runs units one after another in one transaction, and returns their values after its commit. */
  runTogether(units: readonly UnitCode<unknown>[]): Promise<readonly unknown[]>
  /** How long a unit may wait for those before it. */
  readonly maxWaitMs: number
  /** How many may wait for a record. */
  readonly maxWaiting: number
}

const maxTogether = 16

/**
 * Units that change the same record. At the same time, they would conflict and run again and again, so
 * those of a process take turns, and those that wait meanwhile share the next transaction. If it
 * fails, each of them runs alone, so that only the unit that caused the failure fails.
 */
export class RecordUnits {
  readonly #options: RecordUnitsOptions
  /** For each record with a running unit: the units that wait. */
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(options: RecordUnitsOptions) {
    this.#options = options
  }

  /** @throws Fault database_unavailable if it waits for too long, or with too many others */
  async write<T>(record: string, run: (tx: Tx) => Promise<T>): Promise<T> {
    refuseInsideUnit(nestedWrite)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const within = AsyncLocalStorage.snapshot()
    this.#add(record, { run, within, since: performance.now(), resolve, reject })
    // The unit is resolved with what its own code returned.
    return (await promise) as T
  }

  #add(record: string, unit: Waiting): void {
    const others = this.#waiting.get(record)
    if (others === undefined) {
      this.#waiting.set(record, [])
      void this.#drain(record, [unit])
    } else if (others.length < this.#options.maxWaiting) others.push(unit)
    else unit.reject(unavailable('too many units wait for the same record'))
  }

  async #drain(record: string, first: readonly Waiting[]): Promise<void> {
    for (let units = first; units.length > 0; units = this.#take(record)) await this.#run(units)
    this.#waiting.delete(record)
  }

  #take(record: string): readonly Waiting[] {
    const waiting = this.#waiting.get(record) ?? []
    const now = performance.now()
    const oldest = now - this.#options.maxWaitMs
    const late = waiting.findIndex(({ since }) => since >= oldest)
    const refused = waiting.splice(0, late === -1 ? waiting.length : late)
    const taken = waiting.splice(0, maxTogether)
    // A wait for a connection, which follows, is counted by itself.
    for (const { since } of [...refused, ...taken]) tallies.writeWait.add(now - since)
    for (const { reject } of refused) reject(unavailable('the units before it took too long'))
    return taken
  }

  async #run(units: readonly Waiting[]): Promise<void> {
    try {
      const values = await this.#options.runTogether(units)
      for (const [at, { resolve }] of units.entries()) resolve(values[at])
    } catch (error) {
      if (units.length === 1 || !mayRunAgain(error)) for (const { reject } of units) reject(error)
      else for (const unit of units) await this.#run([unit])
    }
  }
}

/** False if the server may have committed, or if the units have run again often enough. */
function mayRunAgain(error: unknown): boolean {
  if (isFault(error, commonFaults.write_conflict)) return false
  const isUnavailable = isFault(error, commonFaults.database_unavailable)
  return !isUnavailable || isCancelled(error.cause)
}

function unavailable(reason: string): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause: new Error(reason) })
}
