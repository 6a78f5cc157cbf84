import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import { ReaderProcess } from './reader-process.ts'
import type { ReadAnswer, ReadQuery } from './reader-process-main.ts'
import { noteDuration } from './slow-statements.ts'

export interface LaneOptions {
  readonly file: string
  /** Processes that one tenant may use at the same time; there is one more for other tenants. */
  readonly size: number
  /** How many reads of one tenant may wait. */
  readonly maxWaiting: number
  readonly idleMs: number
  /** Of the processes: 0 as the service, 19 the lowest priority. */
  readonly niceness: number
}

interface Resting {
  readonly reader: ReaderProcess
  readonly timer: NodeJS.Timeout
}

/** The longest time of `setTimeout`: the signal of each read ends its waiting. */
const maxWaitMs = 2 ** 31 - 1

/** Reader processes that start when they are needed and end when they are idle. */
export class ReaderLane {
  private readonly options: LaneOptions
  private readonly slots: FairSlots
  private readonly all = new Set<ReaderProcess>()
  private readonly resting: Resting[] = []
  private isClosed = false

  constructor(options: LaneOptions) {
    this.options = options
    const { size: slots, maxWaiting } = options
    this.slots = createFairSlots({ slots, reserved: 1, maxWaiting, maxWaitMs })
  }

  /** @throws ReaderLost, SlotsBusy; the signal's reason */
  async ask(query: ReadQuery, tenant: string, signal: AbortSignal): Promise<ReadAnswer> {
    const release = await this.slots.acquire(tenant, signal)
    const began = performance.now()
    try {
      const reader = this.take()
      const answer = await reader.ask(query, signal)
      this.rest(reader)
      return answer
    } finally {
      noteDuration(query.sql, began)
      release()
    }
  }

  close(): void {
    this.isClosed = true
    for (const { timer } of this.resting) clearTimeout(timer)
    for (const reader of this.all) reader.end()
  }

  private take(): ReaderProcess {
    if (this.isClosed) throw new Error('The database is closed')
    for (let last = this.resting.pop(); last !== undefined; last = this.resting.pop()) {
      clearTimeout(last.timer)
      if (!last.reader.isEnded) return last.reader
    }
    for (const reader of this.all) if (reader.isEnded) this.all.delete(reader)
    const reader = new ReaderProcess(this.options.file, this.options.niceness)
    this.all.add(reader)
    return reader
  }

  /** The next read takes the latest one, so that the others become idle. */
  private rest(reader: ReaderProcess): void {
    const timer = setTimeout(() => reader.end(), this.options.idleMs)
    timer.unref()
    this.resting.push({ reader, timer })
  }
}
