import type { Generator } from '../chat/generator.ts'
import type { Target } from '../chat/load.ts'
import type { BenchPostgres } from '../subjects/postgres.ts'
import type { Subject } from '../subjects/subject.ts'
import { watchHealth } from './health.ts'
import type { Options } from './options.ts'
import type { Measurement, Values } from './results.ts'

/** One run of the bench: what its settings use and write to. */
export interface Run {
  readonly options: Options
  readonly generator: Generator
  /** Null if this machine has none. */
  readonly postgres: BenchPostgres | null
  record(measurement: Measurement): void
  /**
   * Adds a sentence about what was left out or failed.
   *
   * @param reason printed, but not part of the results, because errors name folders and hosts
   */
  note(sentence: string, reason?: unknown): void
}

/** Some settings that share what they start. */
export interface Stage {
  /** The names of its settings. */
  readonly settings: readonly string[]
  /** Measures the settings that are wanted, all rounds of them. */
  run(run: Run, wanted: ReadonlySet<string>): Promise<void>
}

export interface Load {
  readonly target: Target
  readonly callers: number
  readonly seconds: number
  /** Whether `/healthz` is asked meanwhile, which costs the server a little. */
  readonly watchesHealth?: boolean
}

type Measured = Pick<Subject, 'cpu' | 'memory' | 'healthUrl'>

/** Puts a load on a server and reads what the server needed for it. */
export async function measure(
  { generator }: Pick<Run, 'generator'>,
  subject: Measured,
  { target, callers, seconds, watchesHealth = false }: Load,
): Promise<Values> {
  const health = watchHealth(watchesHealth ? subject.healthUrl : undefined)
  const peak = watchMemory(subject)
  const before = await subject.cpu()
  const startedAt = performance.now()
  const result = await generator.load(target, callers, seconds)
  const elapsed = (performance.now() - startedAt) / 1000
  const cpu = (await subject.cpu()) - before
  if (result.failure !== null) console.error(`  ${result.failures} failed: ${result.failure}`)
  return numbersOf({
    perSecond: result.perSecond,
    p50Ms: result.p50,
    p99Ms: result.p99,
    ...(target.stream && {
      firstP50Ms: result.firstP50,
      firstP99Ms: result.firstP99,
      longestGapMs: result.longestGap,
    }),
    cores: cpu / elapsed,
    cpuMicros: (cpu * 1e6) / result.answers,
    memoryMb: await peak.stop(),
    ...(await health.stop()),
    failures: result.failures,
  })
}

/** Leaves out what could not be measured, such as the CPU time of a process that is not ours. */
function numbersOf(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)))
}

/** The most memory that a server has from now on, in megabytes. */
function watchMemory(subject: Measured): { stop(): Promise<number> } {
  let most = 0
  const look = async () => {
    most = Math.max(most, await subject.memory())
  }
  const sampler = setInterval(() => void look(), 200)
  return {
    async stop() {
      clearInterval(sampler)
      await look()
      return most
    },
  }
}

/** The subjects in another order each round, so that none always follows the same one. */
export function rotated<T>(subjects: readonly T[], round: number): T[] {
  const first = (round - 1) % subjects.length
  return [...subjects.slice(first), ...subjects.slice(0, first)]
}
