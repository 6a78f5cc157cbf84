import { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { bindable } from './parameters.ts'
import type { ScanReply, ScanRequest } from './scan-worker.ts'
import { refuseInsideUnit, strayRead } from './unit.ts'

type Pending = PromiseWithResolvers<readonly unknown[]>

/** A thread uses 20 MB and starts in 50 ms. */
const idleMs = 20_000

/**
 * Runs long reads on a thread of their own: a full-text search over 100,000 chunks takes 90 ms. The
 * worker starts with the first query and ends when it has been idle for `idleMs`. If it dies, its
 * pending queries fail. The next query starts another worker.
 */
export class ScanWorker {
  private readonly file: string
  private readonly idleMs: number
  private worker: RunningWorker | null = null
  private isClosed = false

  constructor(file: string, options: { readonly idleMs: number } = { idleMs }) {
    this.file = file
    this.idleMs = options.idleMs
  }

  async run<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    refuseInsideUnit(strayRead)
    if (this.isClosed) throw new Error('The database is closed')
    const values = bindable(parameters)
    if (this.worker === null || this.worker.isDead)
      this.worker = new RunningWorker(this.file, this.idleMs)
    // The rows are what the statement selects; their type is Kysely's.
    return { rows: (await this.worker.ask(sql, values)) as R[] }
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.worker?.thread.terminate()
  }
}

class RunningWorker {
  isDead = false
  readonly thread: Worker
  private readonly pending = new Map<number, Pending>()
  private readonly idleMs: number
  private idle: NodeJS.Timeout | null = null
  private lastId = 0

  constructor(file: string, idleMs: number) {
    this.idleMs = idleMs
    this.thread = new Worker(new URL('./scan-worker.ts', import.meta.url), { workerData: { file } })
    this.thread.on('message', (reply: ScanReply) => this.settle(reply))
    this.thread.on('error', (error) => this.die(error))
    this.thread.on('exit', () => this.die(new Error('The scan worker stopped')))
    this.thread.unref()
  }

  ask(sql: string, parameters: ScanRequest['parameters']): Promise<readonly unknown[]> {
    const id = ++this.lastId
    const answer: Pending = Promise.withResolvers()
    this.pending.set(id, answer)
    if (this.idle !== null) clearTimeout(this.idle)
    // The worker keeps the process alive only while a query waits.
    this.thread.ref()
    const request: ScanRequest = { id, sql, parameters }
    this.thread.postMessage(request)
    return answer.promise
  }

  private settle(reply: ScanReply): void {
    const answer = this.pending.get(reply.id)
    this.pending.delete(reply.id)
    if (this.pending.size === 0) this.rest()
    if ('rows' in reply) answer?.resolve(reply.rows)
    else answer?.reject(reply.isUnavailable ? unavailable(reply.error) : reply.error)
  }

  private rest(): void {
    this.thread.unref()
    this.idle = setTimeout(() => {
      // From here on the next query starts a new worker.
      this.isDead = true
      void this.thread.terminate()
    }, this.idleMs)
    this.idle.unref()
  }

  private die(cause: unknown): void {
    this.isDead = true
    if (this.idle !== null) clearTimeout(this.idle)
    const failed = [...this.pending.values()]
    this.pending.clear()
    for (const answer of failed) answer.reject(unavailable(cause))
  }
}

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
