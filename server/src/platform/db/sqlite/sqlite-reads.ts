import {
  createLane,
  defaultLongReadLimits,
  LongReads,
  type LongReadLimits,
} from '#platform/db/long-reads.ts'
import { ReaderProcesses } from './reader-processes.ts'

/** A process uses 28 MB of its own and starts in 130 ms, for which a turn would wait. */
const idle = { search: 120_000, others: 20_000 }
/** Background reads yield to requests when the cores are busy. */
const backgroundNiceness = 10

interface SqliteReadOptions {
  readonly file: string
  readonly limits?: Partial<LongReadLimits> | undefined
  readonly idleMs?: { readonly search: number; readonly others: number }
}

/** SQLite's long reads run in processes, which can be killed within a statement (decision 43). */
export class SqliteReads extends LongReads {
  private readonly processes: readonly ReaderProcesses[]

  constructor({ file, limits: given, idleMs: { search, others } = idle }: SqliteReadOptions) {
    const limits = { ...defaultLongReadLimits, ...given }
    const { readers, searchReaders, readsWaiting } = limits
    const processes = {
      search: new ReaderProcesses({ file, idleMs: search, niceness: 0 }),
      lists: new ReaderProcesses({ file, idleMs: others, niceness: 0 }),
      background: new ReaderProcesses({ file, idleMs: others, niceness: backgroundNiceness }),
    }
    super(limits, {
      search: createLane(searchReaders + 1, readsWaiting, processes.search.run),
      lists: createLane(readers + 1, readsWaiting, processes.lists.run),
      background: createLane(2, readsWaiting, processes.background.run),
    })
    this.processes = Object.values(processes)
  }

  close(): void {
    for (const processes of this.processes) processes.close()
  }
}
