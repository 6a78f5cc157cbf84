import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { CommandFailure, type Terminal } from '#commands/command.ts'
import { forwardLines } from './forward-lines.ts'
import { stopMessage, type WorkerReady } from './worker-role.ts'

/** A worker that ends before it is ready, or less than this later, counts as failed at its start. */
const earlyMs = 10_000
const firstDelayMs = 250
const longestDelayMs = 8_000
/** With the delays between them, at least eight seconds. */
const mostEarlyEnds = 6

/** One of the workers, and the processes that replace it. */
interface Slot {
  readonly number: number
  worker: Worker | null
  /** Null until it serves. */
  readyAt: number | null
  /** How many processes in a row ended early. */
  earlyEnds: number
  restart: NodeJS.Timeout | undefined
}

/** Starts workers, restarts those that end, and stops them together. */
export class Supervisor {
  readonly #slots: readonly Slot[]
  readonly #terminal: Terminal
  readonly #log: Logger
  readonly #port: number
  readonly #ended = Promise.withResolvers<number>()
  #wasReady = false
  #stopping = false
  #exitCode = 0

  /** @param port what workers listen on: for `PORT=0`, the same port after every restart */
  constructor(workers: number, port: number, terminal: Terminal, log: Logger) {
    this.#port = port
    this.#terminal = terminal
    this.#log = log
    this.#slots = Array.from({ length: workers }, (_, index) => ({
      number: index + 1,
      worker: null,
      readyAt: null,
      earlyEnds: 0,
      restart: undefined,
    }))
  }

  /**
   * The first worker migrates the database and creates what it lacks, and opens the port; the others
   * start when it is ready. If it cannot start, neither can the service.
   *
   * @returns the exit code when all workers have ended
   * @throws CommandFailure if workers end again and again and none serves
   */
  async run(): Promise<number> {
    for (const slot of this.#slots.slice(0, 1)) this.#launch(slot)
    return await this.#ended.promise
  }

  /** Lets all workers finish their requests and end. */
  stop(signal: NodeJS.Signals): void {
    this.#stopping = true
    this.#log.info({ signal }, 'stopping all workers')
    for (const { worker, restart } of this.#slots) {
      clearTimeout(restart)
      if (worker !== null) askToStop(worker)
    }
    this.#endIfAllHave()
  }

  kill(): void {
    for (const { worker } of this.#slots) worker?.process.kill('SIGKILL')
  }

  #launch(slot: Slot): void {
    const worker = cluster.fork({ PORT: String(this.#port) })
    slot.worker = worker
    forwardLines(worker.process.stdout, this.#terminal.stdout)
    forwardLines(worker.process.stderr, this.#terminal.stderr)
    worker.on('message', (message: Partial<WorkerReady>) => {
      // Other messages are about figures.
      const { banner } = message
      if (banner !== undefined) this.#becameReady(slot, { banner })
    })
    worker.on('exit', (code, signal) => this.#workerEnded(slot, code, signal))
    worker.on('error', (err) => {
      this.#log.error({ err, worker: slot.number }, 'a worker could not be started or reached')
      if (worker.process.pid === undefined) this.#workerEnded(slot, 1, null)
    })
  }

  #becameReady(slot: Slot, { banner }: WorkerReady): void {
    slot.readyAt = performance.now()
    this.#log.info(
      { worker: slot.number, workerPid: slot.worker?.process.pid },
      'a worker is ready',
    )
    if (this.#wasReady) return
    this.#wasReady = true
    this.#terminal.stdout.write(banner)
    if (!this.#stopping) for (const other of this.#slots.slice(1)) this.#launch(other)
  }

  #workerEnded(slot: Slot, code: number | null, signal: string | null): void {
    const isEarly = slot.readyAt === null || performance.now() - slot.readyAt < earlyMs
    Object.assign(slot, { worker: null, readyAt: null })
    slot.earlyEnds = isEarly ? slot.earlyEnds + 1 : 0
    const about = { worker: slot.number, code, signal }
    if (this.#stopping || !this.#wasReady) {
      // A worker that fails has logged or printed why, unless it was killed.
      if (signal !== null) this.#log.error(about, 'a worker was killed')
      this.#exitCode ||= code ?? 1
      return this.#endIfAllHave()
    }
    if (slot.earlyEnds >= mostEarlyEnds && this.#slots.every(({ readyAt }) => readyAt === null))
      return this.#giveUp(slot)
    const restartInMs = delayAfter(slot.earlyEnds)
    this.#log[code === 0 ? 'info' : 'error']({ ...about, restartInMs }, 'a worker ended')
    slot.restart = setTimeout(() => this.#launch(slot), restartInMs)
  }

  #giveUp({ number, earlyEnds }: Slot): void {
    this.#ended.reject(
      new CommandFailure(
        `no worker serves, and worker ${number} ended ${earlyEnds} times in a row soon after its start: the lines above say why`,
      ),
    )
    this.#stopping = true
    for (const { restart } of this.#slots) clearTimeout(restart)
    this.kill()
  }

  #endIfAllHave(): void {
    if (this.#slots.every(({ worker }) => worker === null)) this.#ended.resolve(this.#exitCode)
  }
}

function delayAfter(earlyEnds: number): number {
  return earlyEnds === 0 ? 0 : Math.min(firstDelayMs * 2 ** (earlyEnds - 1), longestDelayMs)
}

function askToStop(worker: Worker): void {
  // A worker that ends at this moment cannot be reached, and need not be.
  worker.send(stopMessage, () => {})
}
