import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { IdleWorker, WorkerLost } from './idle-worker.ts'
import { bindable } from './parameters.ts'
import type { ScanAnswer, ScanQuery } from './scan-worker.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

/** A thread uses 20 MB and starts in 50 ms. */
const idleMs = 20_000

/** Runs long reads on a thread: a full-text search over 100,000 chunks takes 90 ms. */
export class ScanWorker {
  private readonly worker: IdleWorker<ScanQuery, ScanAnswer>

  constructor(file: string, options: { readonly idleMs: number } = { idleMs }) {
    const script = new URL('./scan-worker.ts', import.meta.url)
    this.worker = new IdleWorker({ script, workerData: { file }, ...options })
  }

  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    const answer = await this.ask({ sql, parameters: bindable(parameters) })
    if ('rows' in answer) return { rows: answer.rows as R[] } // what the statement selects
    throw answer.isUnavailable ? unavailable(answer.error) : answer.error
  }

  private async ask(query: ScanQuery): Promise<ScanAnswer> {
    try {
      return await this.worker.ask(query)
    } catch (error) {
      throw error instanceof WorkerLost ? unavailable(error) : error
    }
  }

  async close(): Promise<void> {
    await this.worker.close()
  }
}

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
