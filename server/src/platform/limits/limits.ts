/** Counts requests in fixed windows; shared by every process on PostgreSQL. */
export interface Limits {
  consume(key: string, window: Window): Promise<Verdict>
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
