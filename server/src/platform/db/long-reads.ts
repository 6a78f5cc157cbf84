import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { SlotsBusy } from '#platform/fair-slots/create-fair-slots.ts'
import { currentCaller } from './caller.ts'
import { bindable } from './parameters.ts'
import { ReaderLane, type LaneOptions } from './reader-lane.ts'
import { ReaderLost } from './reader-process.ts'
import type { ReadAnswer, ReadQuery } from './reader-process-main.ts'
import { currentTenant } from './tenant.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

export interface LongReadLimits {
  /** Deadline of a read that a person waits for. */
  readonly readTimeoutMs: number
  /** Deadline of a read of a job or command. */
  readonly backgroundReadTimeoutMs: number
  /** Processes for lists and figures, for searches of knowledge, and how many reads may wait. */
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

/** A process uses 28 MB of its own and starts in 130 ms, for which a turn would wait. */
const idle = { search: 120_000, others: 20_000 }
/** Background reads yield to requests when the cores are busy. */
const backgroundNiceness = 10

interface LongReadOptions {
  readonly file: string
  readonly limits?: Partial<LongReadLimits> | undefined
  readonly idleMs?: { readonly search: number; readonly others: number }
}

/**
 * SQLite's long reads, in processes of three lanes: a list never waits for a job, and a turn's search for
 * neither. Each read has a deadline and ends with its caller (decision 43).
 */
export class LongReads {
  private readonly limits: LongReadLimits
  private readonly lanes: Readonly<Record<'search' | 'lists' | 'background', ReaderLane>>

  constructor({ file, limits, idleMs: { search, others } = idle }: LongReadOptions) {
    this.limits = { ...defaultLongReadLimits, ...limits }
    const { readers, searchReaders, readsWaiting: maxWaiting } = this.limits
    const shared: Omit<LaneOptions, 'size'> = { file, maxWaiting, idleMs: others, niceness: 0 }
    this.lanes = {
      search: new ReaderLane({ ...shared, size: searchReaders, idleMs: search }),
      lists: new ReaderLane({ ...shared, size: readers }),
      background: new ReaderLane({ ...shared, size: 1, niceness: backgroundNiceness }),
    }
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

  close(): void {
    for (const lane of Object.values(this.lanes)) lane.close()
  }

  private async run<R>(
    lane: keyof typeof this.lanes,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    const query = { sql, parameters: bindable(parameters) }
    const ms = this.limits[lane === 'background' ? 'backgroundReadTimeoutMs' : 'readTimeoutMs']
    const answer = await withinTime(ms, (signal) => ask(this.lanes[lane], query, signal))
    if ('rows' in answer) return { rows: answer.rows as R[] } // what the statement selects
    const error = new Error(answer.message)
    throw answer.isUnavailable ? unavailable(error) : error
  }
}

async function ask(lane: ReaderLane, query: ReadQuery, signal: AbortSignal): Promise<ReadAnswer> {
  try {
    return await lane.ask(query, currentTenant(), signal)
  } catch (error) {
    if (error instanceof SlotsBusy) throw new Fault(commonFaults.reads_busy, {}, { cause: error })
    throw error instanceof ReaderLost ? unavailable(error) : error
  }
}

/** Aborts the signal of `code` after `ms`, or when the caller leaves. */
async function withinTime<T>(ms: number, code: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const seconds = Math.ceil(ms / 1000)
  const stopLate = () => ending.abort(new Fault(commonFaults.read_timed_out, { seconds }))
  const timer = setTimeout(stopLate, ms)
  const caller = currentCaller()?.signal()
  const leave = () =>
    ending.abort(new Fault(commonFaults.caller_left, {}, { cause: caller?.reason }))
  if (caller?.aborted === true) leave()
  else caller?.addEventListener('abort', leave, { once: true })
  try {
    return await code(ending.signal)
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', leave)
  }
}

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
