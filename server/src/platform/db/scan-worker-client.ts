import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { checkParameters } from './parameters.ts'
import type { ScanReply, ScanRequest } from './scan-worker.ts'

interface Pending {
  resolve(rows: readonly unknown[]): void
  reject(error: unknown): void
}

/**
 * Long reads on a thread of their own: full text over 100,000 chunks holds a thread for 90 ms. The
 * worker starts with the first query; one that dies fails what it was doing and is replaced.
 */
export class ScanWorker implements DatabaseConnection {
  private readonly file: string
  private worker: Worker | null = null
  private readonly pending = new Map<number, Pending>()
  private lastId = 0

  constructor(file: string) {
    this.file = file
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    checkParameters(parameters)
    const id = ++this.lastId
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    this.pending.set(id, { resolve, reject })
    const request: ScanRequest = { id, sql, parameters }
    this.running().postMessage(request)
    // The rows are what the statement selects; its types are Kysely's.
    return { rows: (await promise) as R[] }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }

  async close(): Promise<void> {
    await this.worker?.terminate()
    this.fail(new Error('The database is closed'))
  }

  private running(): Worker {
    if (this.worker !== null) return this.worker
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), {
      workerData: { file: this.file },
    })
    worker.unref()
    worker.on('message', (reply: ScanReply) => this.settle(reply))
    worker.on('error', (error) => this.fail(error))
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = null
      this.fail(new Error('The scan worker stopped'))
    })
    this.worker = worker
    return worker
  }

  private settle(reply: ScanReply): void {
    const pending = this.pending.get(reply.id)
    this.pending.delete(reply.id)
    if ('rows' in reply) pending?.resolve(reply.rows)
    else pending?.reject(reply.error)
  }

  private fail(error: unknown): void {
    const failed = [...this.pending.values()]
    this.pending.clear()
    for (const pending of failed) pending.reject(error)
  }
}
