import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { LongRead } from '#platform/db/long-reads.ts'
import { bindable } from '#platform/db/parameters.ts'
import { ReaderLost, ReaderProcess } from './reader-process.ts'
import type { ReadAnswer, ReadQuery } from './reader-process-main.ts'
import { noteDuration } from '#platform/db/slow-statements.ts'

interface ProcessOptions {
  readonly file: string
  readonly idleMs: number
  /** Of the processes: 0 as the service, 19 the lowest priority. */
  readonly niceness: number
}

interface Resting {
  readonly reader: ReaderProcess
  readonly timer: NodeJS.Timeout
}

/** Reader processes that start when they are needed and end when they are idle. */
export class ReaderProcesses {
  private readonly options: ProcessOptions
  private readonly all = new Set<ReaderProcess>()
  private readonly resting: Resting[] = []
  private isClosed = false

  constructor(options: ProcessOptions) {
    this.options = options
  }

  /** @throws Fault database_unavailable; the signal's reason; the error of the statement */
  readonly run: LongRead = async <R>(
    sql: string,
    parameters: readonly unknown[],
    signal: AbortSignal,
  ): Promise<QueryResult<R>> => {
    const answer = await this.ask({ sql, parameters: bindable(parameters) }, signal)
    if ('rows' in answer) return { rows: answer.rows as R[] } // what the statement selects
    const error = new Error(answer.message)
    throw answer.isUnavailable ? unavailable(error) : error
  }

  close(): void {
    this.isClosed = true
    for (const { timer } of this.resting) clearTimeout(timer)
    for (const reader of this.all) reader.end()
  }

  private async ask(query: ReadQuery, signal: AbortSignal): Promise<ReadAnswer> {
    const began = performance.now()
    try {
      const reader = this.take()
      const answer = await reader.ask(query, signal)
      this.rest(reader)
      return answer
    } catch (error) {
      throw error instanceof ReaderLost ? unavailable(error) : error
    } finally {
      noteDuration(query.sql, began)
    }
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

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
