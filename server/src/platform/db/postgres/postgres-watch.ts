import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from 'pg'
import type { Logger } from 'pino'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { codeOf, isRefusedConnection } from './postgres-errors.ts'
import type { PostgresLimits } from './postgres-limits.ts'

/** Times are counted in turns of this timer: a process that was stopped does not blame the server. */
const tickMs = 200
/** After the server's own limit, so that a server that answers can cancel the statement itself. */
const graceMs = 2_000

interface Request {
  /** Ticks in which one of its statements was not answered. */
  waited: number
  countedAt: number
}

/** A statement without an answer, or a wait for a connection. */
interface Open {
  readonly since: number
  readonly limit: number
  readonly request: Request | undefined
  cut(): void
}

interface WatchOptions {
  readonly limits: PostgresLimits
  readonly log: Logger
  /** A connection for a test of the server. */
  newClient(): Client
  /** Closes every connection. */
  disconnect(): void
}

const ticks = (milliseconds: number) => Math.ceil(milliseconds / tickMs)

/** SQLSTATE: the error was sent by the server, not by the socket. */
const fromServer = /^[0-9A-Z]{5}$/

/**
 * Bounds how long the service waits for PostgreSQL. Three limits apply: to a statement, to all
 * statements of a request, and to the silence of the server. While statements are open and none is
 * answered, a test on a new connection decides whether the server still answers. If it does not, all
 * that wait fail at once, and whatever follows fails until a test succeeds: waiting for the limit of
 * each statement would take a request of several statements minutes.
 */
export class PostgresWatch {
  readonly #options: WatchOptions
  readonly #open = new Set<Open>()
  readonly #requests = new AsyncLocalStorage<Request>()
  #timer: NodeJS.Timeout | null = null
  #ticks = 0
  #heardAt = 0
  #isTesting = false
  #outSince: number | null = null

  constructor(options: WatchOptions) {
    this.#options = options
  }

  /** Runs the code of a request, whose statements share one limit. */
  request<T>(code: () => Promise<T>): Promise<T> {
    return this.#requests.run({ waited: 0, countedAt: 0 }, code)
  }

  /**
   * Asks the server on `client`, which is disconnected if no answer arrives in time.
   *
   * @throws Fault database_unavailable while the server does not answer; else the question's error
   */
  async ask<T>(client: Pick<Client, 'connection'>, question: () => Promise<T>): Promise<T> {
    const { databaseStatementTimeoutMs: limitMs } = this.#options.limits
    const open = this.#begin(limitMs + graceMs, () => client.connection.stream.destroy())
    try {
      const answer = await question()
      this.#heardAt = this.#ticks
      return answer
    } catch (error) {
      if (fromServer.test(codeOf(error))) this.#heardAt = this.#ticks
      throw error
    } finally {
      this.#open.delete(open)
    }
  }

  /**
   * Waits for a connection. If the wait is cut, `late` receives the connection that arrives after it.
   *
   * @throws Fault database_unavailable; else the error of `connect`
   */
  async wait<T>(limitMs: number, connect: () => Promise<T>, late: (value: T) => void): Promise<T> {
    const cut = Promise.withResolvers<never>()
    let isCut = false
    const open = this.#begin(limitMs, () => {
      isCut = true
      cut.reject(unavailable(new Error('no connection to PostgreSQL became free in time')))
    })
    try {
      const connected = connect()
      // An error after the cut concerns no caller.
      connected.then(
        (value) => (isCut ? late(value) : undefined),
        () => undefined,
      )
      return await Promise.race([connected, cut.promise])
    } finally {
      this.#open.delete(open)
    }
  }

  /** Stops watching. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #begin(limitMs: number, cut: () => void): Open {
    if (this.#outSince !== null) throw unavailable(new Error('PostgreSQL does not answer'))
    const request = this.#requests.getStore()
    if (
      request !== undefined &&
      request.waited > ticks(this.#options.limits.databaseRequestTimeoutMs)
    )
      throw unavailable(new Error('the request has waited too long for PostgreSQL'))
    const open = { since: this.#ticks, limit: ticks(limitMs), request, cut }
    this.#open.add(open)
    this.#start()
    return open
  }

  #start(): void {
    // What has arrived meanwhile is read before it is judged.
    this.#timer ??= setInterval(() => setImmediate(() => this.#judge()), tickMs).unref()
  }

  #judge(): void {
    this.#ticks += 1
    if (this.#open.size === 0 && this.#outSince === null) return this.close()
    for (const open of this.#open) this.#judgeOne(open)
    if (this.#outSince !== null || this.#isSilent()) void this.#test()
  }

  #judgeOne({ since, limit, request, cut }: Open): void {
    if (request !== undefined && request.countedAt !== this.#ticks) {
      request.countedAt = this.#ticks
      request.waited += 1
    }
    if (this.#ticks - since > limit) cut()
  }

  #isSilent(): boolean {
    const [oldest] = this.#open
    if (oldest === undefined) return false
    const silent = this.#ticks - Math.max(oldest.since, this.#heardAt)
    return silent >= ticks(this.#options.limits.databaseSilenceMs)
  }

  async #test(): Promise<void> {
    if (this.#isTesting) return
    this.#isTesting = true
    const { heardAt, error } = { heardAt: this.#heardAt, error: await this.#probe() }
    this.#isTesting = false
    if (error === null) {
      this.#heardAt = this.#ticks
      this.#noteEnd()
    } else if (this.#heardAt === heardAt) this.#noteOutage(error)
  }

  /** @returns null when the server, or a pooler, answers, even by refusing a further connection */
  async #probe(): Promise<unknown> {
    const client = this.#options.newClient()
    client.on('error', () => undefined)
    const limit = ticks(this.#options.limits.databaseProbeTimeoutMs)
    const cut = () => client.connection.stream.destroy()
    const open = { since: this.#ticks, limit, request: undefined, cut }
    this.#open.add(open)
    try {
      await client.connect()
      await client.query('select 1')
      return null
    } catch (error) {
      return isRefusedConnection(error) ? null : error
    } finally {
      this.#open.delete(open)
      client.end().catch(() => undefined)
    }
  }

  #noteOutage(cause: unknown): void {
    if (this.#outSince !== null) return
    this.#outSince = this.#ticks
    const err = unavailable(cause)
    this.#options.log.error({ err }, 'PostgreSQL does not answer: requests get 503 until it does')
    for (const { cut } of this.#open) cut()
    this.#options.disconnect()
  }

  #noteEnd(): void {
    if (this.#outSince === null) return
    const seconds = ((this.#ticks - this.#outSince) * tickMs) / 1000
    this.#outSince = null
    this.#options.log.warn({ seconds }, 'PostgreSQL answers again')
  }
}

function unavailable(cause: unknown): Fault {
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}
