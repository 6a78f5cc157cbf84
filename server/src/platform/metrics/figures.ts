import { Durations, type Tally } from '#kernel/tally.ts'
import { pools, replica, tallies } from '#kernel/tallies.ts'

/** One metric as `prom-client` aggregates and prints it. It is also sent between processes. */
export interface Figures {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** How several processes' numbers become one. */
  readonly aggregator: 'sum' | 'max' | 'average'
  readonly values: readonly Value[]
}

interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** The name of a histogram's line. */
  readonly metricName?: string
}

/** What this process has counted. */
export function countedFigures(): Figures[] {
  return [...Object.values(tallies).map(figuresOf), poolFigures(), replicaFigures(), processes]
}

/** Its sum is the number of processes that reported. */
const processes = gauge('parley_processes', 'Processes whose figures are included.', [
  { value: 1, labels: {} },
])

/** @param aggregator `max` for a figure of the database, which every process reports */
export function gauge(
  name: string,
  help: string,
  values: readonly Value[],
  aggregator: 'sum' | 'max' = 'sum',
): Figures {
  return { name, help, type: 'gauge', aggregator, values }
}

function figuresOf(tally: Tally | Durations): Figures {
  const { name, help } = tally.about
  const { type } = tally
  const values = tally instanceof Durations ? histogramOf(tally) : valuesOf(tally)
  return { name, help, type, aggregator: 'sum', values }
}

function valuesOf(tally: Tally): Value[] {
  // A counter without labels is 0 before its first event; one with labels is absent.
  const values = tally.about.labels.length > 0 ? tally.values : new Map([['', 0], ...tally.values])
  return [...values].map(([of, value]) => ({ value, labels: labelsOf(tally, of) }))
}

function histogramOf(durations: Durations): Value[] {
  const { name } = durations.about
  return [...durations.values].flatMap(([of, { counts, sum }]) => {
    const labels = labelsOf(durations, of)
    let count = 0
    const buckets = counts.map((more, at): Value => {
      count += more
      const le = durations.bounds[at] ?? '+Inf'
      return { metricName: `${name}_bucket`, value: count, labels: { le, ...labels } }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, value: sum, labels },
      { metricName: `${name}_count`, value: count, labels },
    ]
  })
}

function labelsOf({ about }: Tally | Durations, of: string): Record<string, string> {
  const values = of.split(' ')
  return Object.fromEntries(about.labels.map((label, at) => [label, values[at] ?? '']))
}

function replicaFigures(): Figures {
  const { lagMs } = replica
  const help = 'How old the rows of the read replica (DATABASE_READ_URL) may be at most.'
  const values = lagMs === null ? [] : [{ value: lagMs / 1000, labels: {} }]
  return gauge('parley_db_replica_lag_seconds', help, values, 'max')
}

function poolFigures(): Figures {
  const values: Value[] = []
  for (const [pool, { totalCount, idleCount, waitingCount, options }] of pools) {
    const states = { used: totalCount - idleCount, idle: idleCount, most: options.max ?? 0 }
    for (const [state, value] of Object.entries({ ...states, waiting: waitingCount }))
      values.push({ value, labels: { pool, state } })
  }
  const help =
    'Connections to PostgreSQL: used, idle, the most that may be open, and requests that wait for one.'
  return gauge('parley_db_pool_connections', help, values)
}
