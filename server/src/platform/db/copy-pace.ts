import { closeSync, fdatasyncSync, openSync, statSync } from 'node:fs'

/** How fast a database in use is copied. */
export interface CopyPace {
  readonly bytesPerSecond: number
  /** Above this length of the write-ahead log, which grows during a copy, the copy does not pause. */
  readonly maxLogBytes: number
}

const megabyte = 1024 * 1024
export const stepBytes = megabyte
/** A flush of the whole copy at its end would delay the flushes of a service on the same disk. */
const flushEvery = 8 * megabyte

/** Paces the steps of a copy. It blocks the thread: only for a process that does nothing else. */
export class Pacer {
  private readonly pace: CopyPace
  private readonly log: string
  private readonly draft: number
  private readonly pause = new Int32Array(new SharedArrayBuffer(4))
  private stepBegan = performance.now()
  private unflushed = 0

  constructor(file: string, draft: string, pace: CopyPace) {
    this.pace = pace
    this.log = `${file}-wal`
    this.draft = openSync(draft, 'r+')
  }

  afterStep(): void {
    this.unflushed += stepBytes
    if (this.unflushed >= flushEvery) {
      fdatasyncSync(this.draft)
      this.unflushed = 0
    }
    const dueMs = (stepBytes / this.pace.bytesPerSecond) * 1000
    const earlyMs = this.stepBegan + dueMs - performance.now()
    if (earlyMs > 0 && this.logBytes() < this.pace.maxLogBytes)
      Atomics.wait(this.pause, 0, 0, earlyMs)
    this.stepBegan = performance.now()
  }

  close(): void {
    closeSync(this.draft)
  }

  private logBytes(): number {
    return statSync(this.log, { throwIfNoEntry: false })?.size ?? 0
  }
}
