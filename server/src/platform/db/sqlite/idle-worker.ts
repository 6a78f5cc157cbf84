import { Worker } from 'node:worker_threads'

/** A request of a thread; it is answered with the same id. */
export interface WorkerRequest<Asked> {
  readonly id: number
  readonly asked: Asked
}

export interface WorkerReply<Answer> {
  readonly id: number
  readonly answer: Answer
}

/** The thread died before it answered. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost'
}

interface IdleWorkerOptions {
  readonly script: URL
  readonly workerData: unknown
  readonly idleMs: number
}

/**
 * A thread that starts with the first request and ends when it has been idle for `idleMs`. If it
 * dies, its pending requests fail, and the next one starts another.
 */
export class IdleWorker<Asked, Answer> {
  private readonly options: IdleWorkerOptions
  private running: RunningWorker<Asked, Answer> | null = null
  private isClosed = false

  constructor(options: IdleWorkerOptions) {
    this.options = options
  }

  /** @throws WorkerLost */
  async ask(asked: Asked): Promise<Answer> {
    if (this.isClosed) throw new Error('The database is closed')
    if (this.running === null || this.running.isDead) this.running = new RunningWorker(this.options)
    return await this.running.ask(asked)
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.running?.thread.terminate()
  }
}

class RunningWorker<Asked, Answer> {
  isDead = false
  readonly thread: Worker
  private readonly pending = new Map<number, PromiseWithResolvers<Answer>>()
  private readonly idleMs: number
  private idle: NodeJS.Timeout | null = null
  private lastId = 0

  constructor({ script, workerData, idleMs }: IdleWorkerOptions) {
    this.idleMs = idleMs
    this.thread = new Worker(script, { workerData })
    this.thread.on('message', (reply: WorkerReply<Answer>) => this.settle(reply))
    this.thread.on('error', (error) => this.die(error))
    this.thread.on('exit', () => this.die(new Error('it stopped')))
    this.thread.unref()
  }

  ask(asked: Asked): Promise<Answer> {
    const id = ++this.lastId
    const answer = Promise.withResolvers<Answer>()
    this.pending.set(id, answer)
    if (this.idle !== null) clearTimeout(this.idle)
    // The worker keeps the process alive only while a request waits.
    this.thread.ref()
    const request: WorkerRequest<Asked> = { id, asked }
    this.thread.postMessage(request)
    return answer.promise
  }

  private settle({ id, answer }: WorkerReply<Answer>): void {
    const waiting = this.pending.get(id)
    this.pending.delete(id)
    if (this.pending.size === 0) this.rest()
    waiting?.resolve(answer)
  }

  private rest(): void {
    this.thread.unref()
    this.idle = setTimeout(() => {
      // From here on the next request starts a new worker.
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
    for (const { reject } of failed) reject(new WorkerLost('a worker thread died', { cause }))
  }
}
