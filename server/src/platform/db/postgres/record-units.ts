import { AsyncLocalStorage } from 'node:async_hooks'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Tx } from '#platform/db/database.ts'
import { nestedWrite, refuseInsideUnit } from '#platform/db/unit.ts'
import type { UnitCode } from './unit-connection.ts'

interface Asked extends UnitCode<unknown> {
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Waiting extends Asked {
  readonly since: number
  /** Refuses the unit when it has waited for too long. */
  readonly timer: NodeJS.Timeout
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
    this.#add(record, { run, within, resolve, reject })
    // The unit is resolved with what its own code returned.
    return (await promise) as T
  }

  #add(record: string, unit: Asked): void {
    const others = this.#waiting.get(record)
    if (others === undefined) {
      this.#waiting.set(record, [])
      void this.#drain(record, [unit])
    } else if (others.length < this.#options.maxWaiting) this.#wait(others, unit)
    else unit.reject(unavailable('too many units wait for the same record'))
  }

  #wait(others: Waiting[], unit: Asked): void {
    const refuse = () => {
      others.splice(others.indexOf(waiting), 1)
      leave(waiting)
      unit.reject(unavailable('the units before it took too long'))
    }
    const timer = setTimeout(refuse, this.#options.maxWaitMs)
    const waiting = { ...unit, since: performance.now(), timer }
    others.push(waiting)
  }

  async #drain(record: string, first: readonly Asked[]): Promise<void> {
    for (let units = first; units.length > 0; units = this.#take(record)) await this.#run(units)
    this.#waiting.delete(record)
  }

  #take(record: string): readonly Asked[] {
    const taken = (this.#waiting.get(record) ?? []).splice(0, maxTogether)
    for (const one of taken) leave(one)
    return taken
  }

  async #run(units: readonly Asked[]): Promise<void> {
    const [first] = units
    if (first === undefined) return
    try {
      // As a part of the request of one of them: the limit of another one, long over, would end them all.
      const values = await first.within(() => this.#options.runTogether(units))
      for (const [at, { resolve }] of units.entries()) resolve(values[at])
    } catch (error) {
      if (units.length === 1 || !mayRunAgain(error)) for (const { reject } of units) reject(error)
      else for (const unit of units) await this.#run([unit])
    }
  }
}

/** A unit leaves the queue. A wait for a connection, which follows, is counted by itself. */
function leave({ since, timer }: Waiting): void {
  clearTimeout(timer)
  tallies.writeWait.add(performance.now() - since)
}

/**
 * False if the server may have committed, if the units have run again often enough, or if they waited for
 * a lock or an answer in vain: alone, each would wait as long again.
 */
function mayRunAgain(error: unknown): boolean {
  return (
    !isFault(error, commonFaults.write_conflict) &&
    !isFault(error, commonFaults.database_unavailable)
  )
}

function unavailable(reason: string): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause: new Error(reason) })
}
