import type { Machine, Tree } from './machine.ts'
import { spreadOf, type Spread } from './statistics.ts'

/** Every number that a setting can give; its name contains its unit. */
export const metrics = {
  perSecond: 'per s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  firstP50Ms: 'first p50 ms',
  firstP99Ms: 'first p99 ms',
  longestGapMs: 'longest gap ms',
  healthP50Ms: '/healthz p50 ms',
  healthP99Ms: '/healthz p99 ms',
  cores: 'cores',
  cpuMicros: 'CPU µs each',
  memoryMb: 'MB',
  restMb: 'MB at rest',
  readySeconds: 'ready s',
  seconds: 's',
  failures: 'failed',
} as const

export type Metric = keyof typeof metrics

export type Values = Partial<Record<Metric, number>>

/** What one subject did in one round of one case of a setting. */
export interface Measurement {
  readonly setting: string
  /** What varies within the setting, such as `10 messages, 32 callers`. */
  readonly case: string
  readonly subject: string
  /** From 1. Subjects of one round were measured right after each other. */
  readonly round: number
  readonly values: Values
}

export interface Results {
  readonly tree: Tree
  readonly machine: Machine
  readonly peers: Readonly<Record<string, string>>
  readonly startedAt: string
  readonly minutes: number
  readonly options: Readonly<Record<string, unknown>>
  readonly measurements: readonly Measurement[]
  /** What was left out or failed, in sentences. */
  readonly notes: readonly string[]
}

/** The rounds of one subject in one case, together. */
export interface Summary {
  readonly setting: string
  readonly case: string
  readonly subject: string
  readonly values: Partial<Record<Metric, Spread>>
}

/** In the order in which the first round measured them. */
export function summarise(measurements: readonly Measurement[]): Summary[] {
  const groups = Map.groupBy(measurements, (one) =>
    JSON.stringify([one.setting, one.case, one.subject]),
  )
  return [...groups.values()].map((rounds) => {
    const { setting, case: name, subject } = rounds[0] as Measurement
    return { setting, case: name, subject, values: spreads(rounds) }
  })
}

function spreads(rounds: readonly Measurement[]): Summary['values'] {
  const measured: Summary['values'] = {}
  // The keys of the table above.
  for (const metric of Object.keys(metrics) as Metric[]) {
    const values = rounds.flatMap(({ values }) => values[metric] ?? [])
    if (values.length > 0) measured[metric] = spreadOf(values)
  }
  return measured
}
