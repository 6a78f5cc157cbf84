/**
 * Mixed traffic for some minutes on each engine. Memory and handles must be flat between the first
 * third and the last, no request may fail, and afterwards the service must be idle:
 * `npm run soak -- [--minutes 10] [--engine sqlite|postgres]`. The exit code is 1 otherwise.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { RepeatedCalls } from '../../server/test/faults/repeated-calls.ts'
import { startGenerator } from '../chat/generator.ts'
import { startParley, type Parley } from '../subjects/parley.ts'
import { startBenchPostgres, type BenchPostgres } from '../subjects/postgres.ts'
import { growths, type Sample } from '../suite/steadiness.ts'
import { sampleOf } from './sample.ts'
import { mixedCalls } from './mixed-calls.ts'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
})
const minutes = Number(options.minutes)
/** What the first requests load and compile stays in memory. */
const warmUpMs = Math.min(60_000, minutes * 20_000)
const sampleEveryMs = 2_000
/** Jobs that the traffic has queued, and connections that end when nothing uses them. */
const restMs = 30_000
const idleMs = 60_000
const mostIdlePercent = 1

const generator = await startGenerator()
try {
  for (const engine of options.engine.split(',')) {
    const server = engine === 'postgres' ? await startBenchPostgres() : null
    if (typeof server === 'string') console.log(`postgres is left out: ${server}`)
    else if (!(await soak(engine, server))) process.exitCode = 1
  }
} finally {
  generator.stop()
}

/** @returns whether all is flat */
async function soak(engine: string, postgres: BenchPostgres | null): Promise<boolean> {
  const databaseUrl = (await postgres?.newDatabase()) ?? null
  const launch = { DASHBOARD_RATE_LIMIT: 'unlimited' }
  const parley = await startParley({ modelUrl: generator.modelUrl, databaseUrl, launch })
  try {
    const calls = new RepeatedCalls(await mixedCalls(parley))
    await sleep(warmUpMs)
    const samples = await sampled(parley)
    await calls.stop()
    await sleep(restMs)
    const idlePercent = await cpuPercent(parley)
    return report(engine, { samples, calls, idlePercent })
  } finally {
    await parley.stop()
    await postgres?.stop()
  }
}

async function sampled({ pid }: Parley): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const endsAt = performance.now() + minutes * 60_000
  while (performance.now() < endsAt) {
    samples.push(await sampleOf(pid))
    await sleep(sampleEveryMs)
  }
  return samples
}

/** Of one core, while nobody calls. */
async function cpuPercent(parley: Parley): Promise<number> {
  const [before, startedAt] = [await parley.cpu(), performance.now()]
  await sleep(idleMs)
  return ((await parley.cpu()) - before) / ((performance.now() - startedAt) / 1000) / 0.01
}

interface Soaked {
  readonly samples: readonly Sample[]
  readonly calls: RepeatedCalls
  readonly idlePercent: number
}

function report(engine: string, { samples, calls, idlePercent }: Soaked): boolean {
  const found = growths(samples)
  console.log(`${engine}: ${minutes} minutes, ${calls.answered} requests answered`)
  for (const { what, first, last, isFlat } of found)
    console.log(
      `  ${what}: ${first} in the first third, ${last} in the last: ${isFlat ? 'flat' : 'GROWS'}`,
    )
  const isIdle = idlePercent < mostIdlePercent
  console.log(`  idle CPU: ${idlePercent.toFixed(2)} %${isIdle ? '' : ': NOT IDLE'}`)
  console.log(`  failed requests: ${calls.failures.length}`)
  for (const failure of calls.failures.slice(0, 10)) console.log(`    ${failure}`)
  return isIdle && calls.failures.length === 0 && found.every(({ isFlat }) => isFlat)
}
