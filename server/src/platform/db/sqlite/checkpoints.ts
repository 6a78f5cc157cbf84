import type { Logger } from 'pino'
import type { CheckpointAnswer, CheckpointStep } from './checkpoint-worker.ts'
import type { GroupCommit } from '#platform/db/group-commit.ts'
import { IdleWorker } from './idle-worker.ts'
import type { LogFlush } from './log-flush.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy } from './sqlite-errors.ts'

/** 32 MB. A longer log is slower to search; a shorter one copies the same pages more often. */
const maxPages = 8192
/** How many units pass between two looks at the length of the log. */
const unitsPerLook = 16
const retryMs = 1_000
const idleMs = 20_000

interface CheckpointOptions {
  readonly file: string
  readonly writer: SqliteConnection
  readonly commits: GroupCommit
  readonly flush: LogFlush
  readonly log: Logger
  readonly maxPages: number | undefined
}

/**
 * Keeps the write-ahead log short (decision 32). A thread copies it into the database beside the
 * writer. Then units wait while the thread copies what was added meanwhile and begins the log again.
 * While a long read uses the log, it grows; the next attempt is a second later.
 */
export class Checkpoints {
  private readonly options: CheckpointOptions
  private readonly worker: IdleWorker<CheckpointStep, CheckpointAnswer>
  private readonly maxPages: number
  private units = 0
  private notBefore = 0
  private running: Promise<void> | null = null
  private isClosed = false

  constructor(options: CheckpointOptions) {
    this.options = options
    this.maxPages = options.maxPages ?? maxPages
    const script = new URL('./checkpoint-worker.ts', import.meta.url)
    this.worker = new IdleWorker({ script, workerData: { file: options.file }, idleMs })
  }

  /** Called after each unit. */
  look(): void {
    this.units += 1
    if (this.units < unitsPerLook || this.running !== null || this.isClosed) return
    // Within a unit, the length cannot be read, so the next call looks.
    if (performance.now() < this.notBefore || this.options.writer.raw.isTransaction) return
    this.units = 0
    if (this.pages() < this.maxPages) return
    this.running = this.run().finally(() => (this.running = null))
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.worker.close()
    await this.running
  }

  /** How many pages the log holds. */
  private pages(): number {
    const noop = 'pragma wal_checkpoint(noop)'
    try {
      return this.options.writer.run<{ log: number }>(noop, []).rows[0]?.log ?? 0
    } catch (error) {
      if (isBusy(error)) return 0
      throw error
    }
  }

  private async run(): Promise<void> {
    let hasRestarted = false
    let pages = 0
    try {
      await this.step('copy')
      await this.options.commits.between(async () => {
        hasRestarted = await this.step('restart')
        // After this, the next unit begins, within which the length cannot be read.
        pages = this.pages()
      })
    } catch (error) {
      if (!this.isClosed)
        this.options.log.warn({ err: error }, 'a checkpoint failed; it is retried')
    }
    if (hasRestarted || this.isClosed) return
    this.notBefore = performance.now() + retryMs
    if (pages > 4 * this.maxPages)
      this.options.log.warn({ pages }, 'the write-ahead log grows while a long read uses it')
  }

  /** @returns whether the log began again */
  private async step(step: CheckpointStep): Promise<boolean> {
    const answer = await this.worker.ask(step)
    if ('hasRestarted' in answer) return answer.hasRestarted
    if (answer.kind === 'busy') return false
    // A repeated checkpoint could succeed without the pages that this flush has lost.
    if (answer.kind === 'sync') this.options.flush.fail(answer.error)
    throw answer.error
  }
}
