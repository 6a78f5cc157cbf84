import { AsyncLocalStorage } from 'node:async_hooks'
import type { LogFlush } from './sqlite/log-flush.ts'
import type { SqliteConnection } from './sqlite/sqlite-connection.ts'
import { isBusy } from './sqlite/sqlite-errors.ts'

/** What the code that produces one answer has read. */
interface Answer {
  /** The newest commit that its latest reads could see; null when all of them are accounted for. */
  seen: number | null
  /** How many reads it has noted. */
  reads: number
  /** The flush of what it has read before. */
  waiting: Promise<void> | null
  /** Whether it continues after its first part, in `answerInParts`. */
  hasParts: boolean
  isSent: boolean
}

/**
 * Keeps an answer from leaving before the commits that it may contain are on the disk: a read can see
 * a commit before its flush (decision 32). Within `answer`, the answer waits; any other read waits
 * itself.
 */
export class ReadGuard {
  private readonly answers = new AsyncLocalStorage<Answer>()
  private readonly flush: LogFlush
  private readonly writer: SqliteConnection
  private version: number | null
  /** The last commit of another process, as `LogFlush` counts it here. */
  private foreign = 0
  private inProduction = 0

  constructor(flush: LogFlush, writer: SqliteConnection) {
    this.flush = flush
    this.writer = writer
    this.version = this.dataVersion()
  }

  /** How many answers are being produced. */
  get producing(): number {
    return this.inProduction
  }

  /** Whether no other answer would use the time of a wait. */
  get isAlone(): boolean {
    return this.inProduction === 1
  }

  /** Called after a read. @returns null if its caller may continue at once */
  afterRead(): Promise<void> | null {
    if (this.noteRead()) return null
    this.noteForeignCommits()
    return this.flush.until(this.flush.visible)
  }

  /** @returns whether an answer will wait for what was read until now */
  noteRead(): boolean {
    const answer = this.answers.getStore()
    if (answer === undefined || answer.isSent) return false
    answer.seen = this.flush.visible
    answer.reads += 1
    return true
  }

  /**
   * Called before a unit. @returns a function to call after the flush of its commit, which covers what
   * the answer has read before
   */
  beginUnit(): () => void {
    const answer = this.answers.getStore()
    if (answer === undefined) return nothing
    const { reads } = answer
    return () => {
      if (answer.reads === reads) answer.seen = null
    }
  }

  async answer<T>(code: () => Promise<T>): Promise<T> {
    const answer: Answer = { seen: null, reads: 0, waiting: null, hasParts: false, isSent: false }
    this.inProduction += 1
    try {
      return await this.answers.run(answer, code)
    } finally {
      for (let wait = this.flushOf(answer); wait !== null; wait = this.flushOf(answer)) await wait
      if (!answer.hasParts) this.end(answer)
    }
  }

  async answerInParts(code: () => Promise<void>): Promise<void> {
    const answer = this.answers.getStore()
    if (answer === undefined) return await this.answer(code)
    answer.hasParts = true
    try {
      await code()
    } finally {
      for (let wait = this.flushOf(answer); wait !== null; wait = this.flushOf(answer)) await wait
      this.end(answer)
    }
  }

  private end(answer: Answer): void {
    answer.isSent = true
    this.inProduction -= 1
  }

  readsFlushed(): Promise<void> | null {
    const answer = this.answers.getStore()
    return answer === undefined ? null : this.flushOf(answer)
  }

  private flushOf(answer: Answer): Promise<void> | null {
    if (answer.seen === null) return answer.waiting
    this.noteForeignCommits()
    const wait = this.flush.until(Math.max(answer.seen, this.foreign))
    answer.seen = null
    if (wait === null) return answer.waiting
    const isOver = () => {
      if (answer.waiting === wait) answer.waiting = null
    }
    // After a failure the answer keeps the rejected promise.
    wait.then(isOver, () => undefined)
    answer.waiting = wait
    return wait
  }

  /** Another process acknowledges its commits after their flush, but they can be read before. */
  private noteForeignCommits(): void {
    const version = this.dataVersion()
    if (version !== null && version === this.version) return
    this.version = version
    this.flush.addCommit()
    this.foreign = this.flush.visible
  }

  /** Changes when a connection other than the writer has committed; null when SQLite is busy. */
  dataVersion(): number | null {
    try {
      const { rows } = this.writer.run<{ data_version: number }>('pragma data_version', [])
      return rows[0]?.data_version ?? null
    } catch (error) {
      if (isBusy(error)) return null
      throw error
    }
  }
}

function nothing(): void {}
