/** Counts requests in fixed windows; shared by every process on PostgreSQL. */
export interface Limits {
  /** Counts one request and returns whether it is within the limit. */
  consume(key: string, window: Window): Promise<Verdict>
  /**
   * Like `consume`, for every chat turn: a process takes many requests of the window at a time from
   * the database. It never allows more than the limit; near it, a process may refuse while another one
   * has a few requests left. `remaining` is what this process has left.
   */
  consumeInBlocks(key: string, window: Window): Promise<Verdict>
  /** Returns whether one more request would be within the limit, without counting it. */
  peek(key: string, window: Window): Promise<Verdict>
  /** Takes back one counted request: a limit on failures counts every attempt, then forgives successes. */
  giveBack(key: string, window: Window): Promise<void>
}

export interface Window {
  readonly limit: number
  readonly windowSeconds: number
}

export interface Verdict {
  readonly allowed: boolean
  readonly remaining: number
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number
  /** When the window ends: epoch milliseconds. */
  readonly resetsAt: number
}
