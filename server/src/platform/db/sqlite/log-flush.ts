import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import { flushLog } from './flush-log.mjs'

/** What log-flush-thread.mjs gets. */
export interface FlushThreadData {
  /** The path of the write-ahead log. */
  readonly log: string
  /** The open log. */
  readonly file: number
  /** The number of requested flushes; a negative one ends the thread. */
  readonly requests: Int32Array
}

/** How many milliseconds the disk took, or why the flush failed. */
export type FlushReply = number | { readonly error: unknown }

/** Up to this time, a flush takes the event loop less long than waking a thread and being woken. */
const fastFlushMs = 0.5
/** If more commits than this wait for one flush, it may take longer than the latest flush did. */
const fastCommits = 32
/** So few and short flushes need no thread, which takes 7 MB. */
const calm = { flushes: 20, everyMs: 1_000, flushMs: 5 }

interface Waiting {
  readonly commit: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * Makes commits durable beside the event loop (decision 32). A commit at `synchronous=normal` is in
 * the write-ahead log and visible, but not on the disk. One flush covers all commits before it; the
 * next one begins when it has ended. It has a thread of its own: in libuv's pool it would wait for
 * passwords and DNS.
 *
 * A failed flush is final: the operating system may have dropped the pages, so a second flush could
 * succeed without them. Whatever waits fails, nothing more is accepted, and `lost` ends the process.
 */
export class LogFlush {
  /** The number of the newest commit that a read can see. */
  private newest = 0
  private flushed = 0
  /** The commit that the running flush covers; null when none runs. */
  private covered: number | null = null
  /** How long the latest flush took. */
  private latestMs = 0
  private calmSince = 0
  private calmFlushes = 0
  private waiting: Waiting[] = []
  private failure: Fault | null = null
  private isClosing = false
  private thread: Worker | null = null
  private readonly requests = new Int32Array(new SharedArrayBuffer(4))
  private readonly log: string
  private readonly file: number
  private readonly lost: (cause: unknown) => void

  /**
   * Flushes what another process has committed before: it may have died before its own flush.
   *
   * @param database its file, which a connection has open, so that the log exists
   */
  constructor(database: string, lost: (cause: unknown) => void) {
    this.log = `${database}-wal`
    this.lost = lost
    // SQLite locks the database and its `-shm` file, never the log: closing this loses no lock.
    this.file = openSync(this.log, 'r+')
    fdatasyncSync(this.file)
    flushName(this.log)
  }

  get visible(): number {
    return this.newest
  }

  /** Counts a commit that reads can now see. */
  addCommit(): void {
    this.newest += 1
  }

  /** @throws Fault database_unavailable after a failed flush */
  refuseAfterFailure(): void {
    if (this.failure !== null) throw this.failure
  }

  /**
   * @returns null when the commit is on the disk, else a promise that resolves when it is, or rejects
   *   with Fault database_unavailable
   */
  until(commit: number): Promise<void> | null {
    if (this.thread === null && commit > this.flushed && this.isCalm())
      this.flushIfFast(calm.flushMs)
    if (commit <= this.flushed) return null
    if (this.failure !== null) return Promise.reject(this.failure)
    return new Promise((resolve, reject) => {
      this.waiting.push({ commit, resolve, reject })
      if (this.covered === null) this.begin()
    })
  }

  /**
   * Flushes on the event loop if the disk is fast. Call it only if nothing else wants to run: then
   * waking the thread costs a tenth of a turn, and saves nothing.
   */
  flushIfFast(fastMs = fastFlushMs): void {
    if (this.failure !== null || this.covered !== null || this.latestMs > fastMs) return
    if (this.newest - this.flushed > fastCommits) return
    try {
      this.latestMs = flushLog(this.log, this.file)
      tallies.flush.add(this.latestMs)
      this.flushed = this.newest
    } catch (error) {
      this.fail(error)
    }
  }

  /** The disk has failed, here or in a checkpoint. */
  fail(cause: unknown): void {
    if (this.failure !== null) return
    this.failure = new Fault(commonFaults.database_unavailable, {}, { cause })
    for (const { reject } of this.waiting.splice(0)) reject(this.failure)
    this.lost(cause)
  }

  /** Waits for a running flush. */
  async close(): Promise<void> {
    if (this.isClosing) return
    this.isClosing = true
    if (this.thread !== null) {
      const exit = once(this.thread)
      this.thread.ref()
      this.request(-1)
      await exit
    }
    closeSync(this.file)
  }

  /** Whether a service at rest flushes: it then runs without the thread, unless the disk is slow. */
  private isCalm(): boolean {
    const now = performance.now()
    if (now - this.calmSince >= calm.everyMs) {
      this.calmSince = now
      this.calmFlushes = 0
    }
    this.calmFlushes += 1
    return this.calmFlushes <= calm.flushes
  }

  private begin(): void {
    this.thread ??= this.startThread()
    this.thread.ref()
    this.covered = this.newest
    this.request((Atomics.load(this.requests, 0) + 1) & 0x7fffffff)
  }

  private request(number: number): void {
    Atomics.store(this.requests, 0, number)
    Atomics.notify(this.requests, 0)
  }

  private startThread(): Worker {
    const workerData: FlushThreadData = { log: this.log, file: this.file, requests: this.requests }
    const thread = new Worker(new URL('./log-flush-thread.mjs', import.meta.url), {
      workerData,
    })
    thread.on('message', (reply: FlushReply) => this.end(reply))
    thread.on('error', (error) => this.fail(error))
    thread.on('exit', () => {
      if (!this.isClosing) this.fail(new Error('the thread that flushes has ended'))
    })
    return thread
  }

  private end(reply: FlushReply): void {
    if (typeof reply !== 'number') return this.fail(reply.error)
    this.latestMs = reply
    tallies.flush.add(reply)
    this.flushed = this.covered ?? this.flushed
    this.covered = null
    const all = this.waiting
    this.waiting = all.filter(({ commit }) => commit > this.flushed)
    // Begins first: what waited runs while the disk works.
    if (this.waiting.length > 0) this.begin()
    else this.thread?.unref()
    for (const { commit, resolve } of all) if (commit <= this.flushed) resolve()
  }
}

async function once(thread: Worker): Promise<void> {
  await new Promise((resolve) => thread.once('exit', resolve))
}

/** SQLite flushes a new log's name only in the connection that created the file. */
function flushName(file: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
