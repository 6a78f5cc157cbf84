/**
 * What a process counts about itself, in plain numbers: the hot path only adds, and `/metrics` reads
 * (decision 45). Label values are joined with a space, so they contain none.
 */
interface About {
  /** Without unit suffixes such as `_total`, which the format adds. */
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** A mistake must not fill the memory: further label values share one series. */
const mostSeries = 500

class Series<T> {
  readonly about: About
  readonly values = new Map<string, T>()
  readonly #initial: () => T

  constructor(about: About, initial: () => T) {
    this.about = about
    this.#initial = initial
  }

  protected at(of: string): string {
    if (this.values.has(of)) return of
    const key = this.values.size < mostSeries ? of : this.about.labels.map(() => 'other').join(' ')
    if (!this.values.has(key)) this.values.set(key, this.#initial())
    return key
  }
}

/** A number that only grows, or that goes up and down if its type is `gauge`. */
export class Tally extends Series<number> {
  readonly type: 'counter' | 'gauge'

  constructor(type: 'counter' | 'gauge', about: About) {
    super(about, () => 0)
    this.type = type
  }

  add(of = '', by = 1): void {
    const key = this.at(of)
    this.values.set(key, (this.values.get(key) ?? 0) + by)
  }

  set(value: number, of = ''): void {
    this.values.set(this.at(of), value)
  }
}

interface Spread {
  /** How many were at most each bound, not cumulative; the last number is of those above all. */
  readonly counts: number[]
  sum: number
}

/** How often something took how long, in seconds. */
export class Durations extends Series<Spread> {
  readonly type = 'histogram'
  /** Seconds, ascending. */
  readonly bounds: readonly number[]

  constructor(about: About, bounds: readonly number[]) {
    super(about, () => ({ counts: [...bounds, Infinity].map(() => 0), sum: 0 }))
    this.bounds = bounds
  }

  add(ms: number, of = ''): void {
    const spread = this.values.get(this.at(of))
    if (spread === undefined) return
    const seconds = ms / 1000
    let at = 0
    while (seconds > (this.bounds[at] ?? Number.POSITIVE_INFINITY)) at += 1
    spread.counts[at] = (spread.counts[at] ?? 0) + 1
    spread.sum += seconds
  }
}
