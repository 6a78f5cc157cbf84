import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { createFairSlots, SlotsBusy } from '#platform/fair-slots/create-fair-slots.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import { currentCaller } from './caller.ts'
import { currentTenant } from './tenant.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

export interface LongReadLimits {
  /** Deadline of a read that a person waits for. */
  readonly readTimeoutMs: number
  /** Deadline of a read of a job or command. */
  readonly backgroundReadTimeoutMs: number
  /** Lists and figures, and searches of knowledge, that run at the same time, and how many may wait. */
  readonly readers: number
  readonly searchReaders: number
  readonly readsWaiting: number
}

export const defaultLongReadLimits: LongReadLimits = {
  readTimeoutMs: 10_000,
  backgroundReadTimeoutMs: 600_000,
  readers: 2,
  searchReaders: 2,
  readsWaiting: 200,
}

/** Runs a statement, which ends when the signal is aborted. */
export type LongRead = <R>(
  sql: string,
  parameters: readonly unknown[],
  signal: AbortSignal,
) => Promise<QueryResult<R>>

/** Reads that wait for each other, and what runs them. */
export interface Lane {
  readonly slots: FairSlots
  readonly run: LongRead
}

export type Lanes = Readonly<Record<'search' | 'lists' | 'background', Lane>>

/** The longest time of `setTimeout`: the signal of each read ends its waiting. */
const maxWaitMs = 2 ** 31 - 1

/**
 * @param size how many reads run at the same time: the last place is for a tenant without another one
 * @param maxWaiting how many reads of one tenant may wait
 */
export function createLane(size: number, maxWaiting: number, run: LongRead): Lane {
  const reserved = size > 1 ? 1 : 0
  const slots = createFairSlots({ slots: size - reserved, reserved, maxWaiting, maxWaitMs })
  return { slots, run }
}

/**
 * Long reads in three lanes: a list never waits for a job, and a turn's search for neither. Each read
 * has a deadline and ends with its caller (decision 43).
 */
export class LongReads {
  private readonly limits: LongReadLimits
  private readonly lanes: Lanes

  constructor(limits: LongReadLimits, lanes: Lanes) {
    this.limits = limits
    this.lanes = lanes
  }

  /** @throws Fault read_timed_out, caller_left, reads_busy, database_unavailable */
  async scan<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const isWaitedFor = currentCaller()?.isBackground === false
    return await this.run(isWaitedFor ? 'lists' : 'background', sql, parameters)
  }

  /** @throws as `scan` */
  async search<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    return await this.run('search', sql, parameters)
  }

  private async run<R>(
    name: keyof Lanes,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    const ms = this.limits[name === 'background' ? 'backgroundReadTimeoutMs' : 'readTimeoutMs']
    const { slots, run } = this.lanes[name]
    return await withinTime(ms, async (signal) => {
      const release = await takeSlot(slots, signal)
      try {
        return await run<R>(sql, parameters, signal)
      } finally {
        release()
      }
    })
  }
}

async function takeSlot(slots: FairSlots, signal: AbortSignal): Promise<() => void> {
  try {
    return await slots.acquire(currentTenant(), signal)
  } catch (error) {
    throw error instanceof SlotsBusy
      ? new Fault(commonFaults.reads_busy, {}, { cause: error })
      : error
  }
}

/**
 * Rejects after `ms`, or when the caller leaves, and aborts the signal of `code`. Its slot is free when
 * the statement has ended.
 */
async function withinTime<T>(ms: number, code: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end = (fault: Fault) => {
    ended.reject(fault)
    ending.abort(fault)
  }
  const seconds = Math.ceil(ms / 1000)
  const timer = setTimeout(() => end(new Fault(commonFaults.read_timed_out, { seconds })), ms)
  const caller = currentCaller()?.signal()
  const leave = () => end(new Fault(commonFaults.caller_left, {}, { cause: caller?.reason }))
  if (caller?.aborted === true) leave()
  else caller?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([code(ending.signal), ended.promise])
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', leave)
  }
}
