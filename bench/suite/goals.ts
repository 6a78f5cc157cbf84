import {
  crowdCase,
  diskCase,
  importCase,
  memoryCase,
  pacedCase,
  searchCase,
  shopCase,
  streamsCase,
  toolsCase,
  wholeCase,
} from './case-names.ts'
import type { SubjectName } from '../subjects/subject.ts'
import type { Measurement, Metric } from './results.ts'
import { starvedRounds } from './starved-rounds.ts'
import { spreadOf, type Spread } from './statistics.ts'

interface Place {
  readonly setting: string
  readonly case: string
  readonly subject: SubjectName
  readonly metric: Metric
}

/** What a measured number should be: alone, or compared with another of the same round. */
interface Goal {
  readonly what: string
  readonly of: Place
  readonly dividedBy?: Place
  readonly minus?: Place
  readonly atLeast?: number
  readonly atMost?: number
}

export interface JudgedGoal {
  readonly what: string
  /** Such as `≥ 0.4`. */
  readonly goal: string
  /** Null if the run did not measure it, or only while other programs used the machine. */
  readonly measured: Spread | null
  /** How many of the rounds do not count, because other programs used the machine. */
  readonly starved: number
  /** By the median. */
  readonly isReached: boolean | null
}

const turns = (
  messages: 1 | 10,
  callers: number,
  subject: SubjectName,
  metric: Metric = 'perSecond',
): Place => ({
  setting: 'whole',
  case: wholeCase(messages, callers),
  subject,
  metric,
})
const streams = (subject: SubjectName): Place => ({
  setting: 'streams',
  case: streamsCase,
  subject,
  metric: 'perSecond',
})
const disk = (callers: number, name: Parameters<typeof diskCase>[1], metric: Metric): Place => ({
  setting: 'disk',
  case: diskCase(callers, name),
  subject: 'sqlite',
  metric,
})
const crowd = (subject: SubjectName, metric: Metric): Place => ({
  setting: 'crowd',
  case: crowdCase,
  subject,
  metric,
})
const search = (
  subject: SubjectName,
  metric: Metric,
  kind: Parameters<typeof searchCase>[1] = 'words',
): Place => ({
  setting: 'search',
  case: searchCase(100_000, kind),
  subject,
  metric,
})
const tools = (revision: string): Place => ({
  setting: 'tools',
  case: toolsCase('tools/list', revision, 32),
  subject: 'sqlite',
  metric: 'perSecond',
})
const memory = (metric: Metric): Place => ({
  setting: 'memory',
  case: memoryCase,
  subject: 'sqlite',
  metric,
})

const checkouts: Place = {
  setting: 'shop',
  case: shopCase('POST /checkout_sessions', 100_000),
  subject: 'postgres',
  metric: 'perSecond',
}
const productImport: Place = {
  setting: 'import',
  case: importCase(100_000),
  subject: 'postgres',
  metric: 'seconds',
}
const paced: Place = {
  setting: 'paced',
  case: pacedCase,
  subject: 'sqlite',
  metric: 'cores',
}
const slow = 'flush +10 ms'

/** Compares Parley's turns on SQLite with those of a peer. */
function besides(peer: 'bare' | 'portkey', messages: 1 | 10, callers: number, atLeast: number) {
  const of = turns(messages, callers, 'sqlite')
  const name = peer === 'bare' ? 'the bare proxy' : 'the gateway'
  const what = `whole turns, ${of.case} ÷ ${name}`
  return { what, of, dividedBy: turns(messages, callers, peer), atLeast }
}

export const goals: readonly Goal[] = [
  besides('bare', 1, 32, 0.4),
  besides('bare', 10, 32, 0.35),
  besides('portkey', 1, 32, 3),
  besides('portkey', 10, 32, 2.5),
  besides('portkey', 1, 1, 1.2),
  besides('portkey', 10, 1, 1),
  {
    what: '40-chunk streams, 32 callers ÷ the gateway',
    of: streams('sqlite'),
    dividedBy: streams('portkey'),
    atLeast: 3,
  },
  {
    what: 'PostgreSQL, whole turns, 32 callers ÷ the commit of `--base`',
    of: turns(1, 32, 'postgres'),
    dividedBy: turns(1, 32, 'base-postgres'),
    atLeast: 1.5,
  },
  {
    what: 'flush +10 ms: `/healthz` p50, 32 callers ÷ this disk',
    of: disk(32, slow, 'healthP50Ms'),
    dividedBy: disk(32, 'this disk', 'healthP50Ms'),
    atMost: 1.1,
  },
  {
    what: 'flush +10 ms: whole turns, 128 callers ÷ this disk',
    of: disk(128, slow, 'perSecond'),
    dividedBy: disk(128, 'this disk', 'perSecond'),
    atLeast: 0.8,
  },
  { what: '200 paced streams: cores', of: paced, atMost: 0.2 },
  {
    what: '1,000 paced streams: first word p50 ms − the model’s',
    of: crowd('sqlite', 'firstP50Ms'),
    minus: crowd('direct', 'firstP50Ms'),
    atMost: 500,
  },
  {
    what: '1,000 paced streams: first word p99 ms',
    of: crowd('sqlite', 'firstP99Ms'),
    atMost: 1_500,
  },
  {
    what: '1,000 paced streams: longest gap in a stream, ms',
    of: crowd('sqlite', 'longestGapMs'),
    atMost: 200,
  },
  { what: 'search in 100,000 chunks, SQLite, p50 ms', of: search('sqlite', 'p50Ms'), atMost: 10 },
  { what: 'search in 100,000 chunks, SQLite, p99 ms', of: search('sqlite', 'p99Ms'), atMost: 30 },
  {
    what: 'search in 100,000 chunks, PostgreSQL, p50 ms',
    of: search('postgres', 'p50Ms'),
    atMost: 10,
  },
  {
    what: 'search in 100,000 chunks, PostgreSQL, p99 ms',
    of: search('postgres', 'p99Ms'),
    atMost: 30,
  },
  {
    what: 'the same with vectors, SQLite, p50 ms',
    of: search('sqlite', 'p50Ms', 'words and vectors'),
    atMost: 20,
  },
  { what: 'tools/list over MCP, 2025-11-25, per s', of: tools('2025-11-25'), atLeast: 4_000 },
  { what: 'tools/list over MCP, 2026-07-28, per s', of: tools('2026-07-28'), atLeast: 4_000 },
  { what: 'checkouts on PostgreSQL, 32 callers, per s', of: checkouts, atLeast: 2_000 },
  { what: 'import of 100,000 products, PostgreSQL, s', of: productImport, atMost: 15 },
  { what: 'memory at rest, SQLite, MB', of: memory('restMb'), atMost: 122 },
  { what: 'memory under 200 callers, SQLite, MB', of: memory('memoryMb'), atMost: 300 },
]

export function judge(
  measurements: readonly Measurement[],
  all: readonly Goal[] = goals,
): JudgedGoal[] {
  return all.map((goal) => {
    const { what, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal
    const { values, starved } = perRound(measurements, goal)
    const measured = values.length === 0 ? null : spreadOf(values)
    const isReached = measured && measured.median >= atLeast && measured.median <= atMost
    const bound = goal.atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
    return { what, goal: bound, measured, starved, isReached }
  })
}

/** Values are compared within their round: both sides had the same noise, unless one was starved. */
function perRound(
  measurements: readonly Measurement[],
  goal: Goal,
): { values: number[]; starved: number } {
  const { of, dividedBy, minus } = goal
  const other = dividedBy ?? minus
  const all = [...valuesAt(measurements, of)]
  if (other === undefined) return { values: all.map(([, value]) => value), starved: 0 }
  const starved = dividedBy ? starvedRounds(measurements, [of, dividedBy]) : new Set<number>()
  const counted = all.filter(([round]) => !starved.has(round))
  const values = counted.flatMap(([round, value]) => {
    const beside = valuesAt(measurements, other).get(round)
    if (beside === undefined) return []
    return [dividedBy ? value / beside : value - beside]
  })
  return { values, starved: all.length - counted.length }
}

/** By round. */
function valuesAt(measurements: readonly Measurement[], place: Place): Map<number, number> {
  const found = new Map<number, number>()
  for (const one of measurements) {
    const value = one.values[place.metric]
    const isHere =
      one.setting === place.setting && one.case === place.case && one.subject === place.subject
    if (isHere && value !== undefined) found.set(one.round, value)
  }
  return found
}
