import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ReadAnswer, ReadQuery } from './reader-process-main.ts'

const program = fileURLToPath(new URL('./reader-process-main.ts', import.meta.url))
/** As in main.ts. With it, a start compiles nothing and does not load the type stripper. */
const compileCache = join(import.meta.dirname, '../../../../../node_modules/.cache/parley')
const flags = ['--max-semi-space-size=1', '--no-maglev', '--v8-pool-size=1', '--no-warnings']

/** The process died before it answered. */
export class ReaderLost extends Error {
  override readonly name = 'ReaderLost'
}

/**
 * A process that runs one read at a time. It can be killed within a statement, which SQLite's thread in
 * this process could not: `node:sqlite` has no interrupt, and a thread ends only after its statement.
 */
export class ReaderProcess {
  isEnded = false
  private readonly child: ChildProcess
  private waiting: PromiseWithResolvers<ReadAnswer> | null = null

  constructor(file: string, niceness: number) {
    this.child = fork(program, [file, String(niceness)], {
      // The environment contains secrets.
      env: { NODE_COMPILE_CACHE: compileCache, MALLOC_ARENA_MAX: '1' },
      execArgv: flags,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // reader-process-main.ts sends nothing else.
    this.child.on('message', (answer) => this.settle(answer as ReadAnswer))
    this.child.on('error', (error) => this.die(error))
    this.child.on('exit', (code, signal) => this.die(new Error(`it ended: ${signal ?? code}`)))
    this.release()
  }

  /**
   * When `signal` is aborted, the process is killed.
   *
   * @throws ReaderLost; the signal's reason
   */
  async ask(query: ReadQuery, signal: AbortSignal): Promise<ReadAnswer> {
    signal.throwIfAborted()
    const answer = Promise.withResolvers<ReadAnswer>()
    this.waiting = answer
    this.hold()
    const abort = () => {
      answer.reject(signal.reason)
      this.end()
    }
    signal.addEventListener('abort', abort, { once: true })
    this.child.send(query, (error) => {
      if (error !== null) this.die(error)
    })
    try {
      return await answer.promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  end(): void {
    this.die(new Error('it was ended'))
    this.child.kill('SIGKILL')
  }

  /** The service's process stays alive only while a read waits. */
  private hold(): void {
    this.child.ref()
    this.child.channel?.ref()
  }

  private release(): void {
    this.child.unref()
    this.child.channel?.unref()
  }

  private settle(answer: ReadAnswer): void {
    this.release()
    this.waiting?.resolve(answer)
    this.waiting = null
  }

  private die(cause: unknown): void {
    this.isEnded = true
    this.release()
    this.waiting?.reject(new ReaderLost('a reader process died', { cause }))
    this.waiting = null
  }
}
