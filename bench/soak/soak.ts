/**
 * Mixed traffic for some minutes on each engine. Memory and handles must be flat between the first
 * third and the last, no request may fail, and afterwards the service must be idle:
 * `npm run soak -- [--minutes 10] [--engine sqlite|postgres]`. The exit code is 1 otherwise.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { RepeatedCalls } from '../../server/test/faults/repeated-calls.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { startGenerator } from '../chat/generator.ts'
import { heapAfterCollection } from '../subjects/collect-garbage.ts'
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
/**
 * What the traffic leaves behind: jobs that count and index it once a minute when it is two minutes old, and
 * connections that end when nothing uses them.
 */
const restMs = 210_000
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
  const inspector = await freePort()
  const nodeFlags = [`--inspect=127.0.0.1:${inspector}`]
  const parley = await startParley({ modelUrl: generator.modelUrl, databaseUrl, launch, nodeFlags })
  try {
    const calls = new RepeatedCalls(await mixedCalls(parley))
    await sleep(warmUpMs)
    const { samples, heaps } = await sampled(parley, inspector)
    await calls.stop()
    await sleep(restMs)
    const idlePercent = await cpuPercent(parley)
    const rest = await sampleOf(parley.pid)
    return report(engine, { samples, heaps, rest, calls, idlePercent })
  } finally {
    await parley.stop()
    await postgres?.stop()
  }
}

/** Three parts of the time; before and after each, the heap in use after a collection. */
async function sampled(
  { pid }: Parley,
  inspector: number,
): Promise<Pick<Soaked, 'samples' | 'heaps'>> {
  const samples: Sample[] = []
  const heaps = [await heapAfterCollection(inspector)]
  for (let part = 0; part < 3; part++) {
    const endsAt = performance.now() + minutes * 20_000
    while (performance.now() < endsAt) {
      samples.push(await sampleOf(pid))
      await sleep(sampleEveryMs)
    }
    heaps.push(await heapAfterCollection(inspector))
  }
  return { samples, heaps }
}

/** Of one core, while nobody calls. */
async function cpuPercent(parley: Parley): Promise<number> {
  const [before, startedAt] = [await parley.cpu(), performance.now()]
  await sleep(idleMs)
  return ((await parley.cpu()) - before) / ((performance.now() - startedAt) / 1000) / 0.01
}

interface Soaked {
  readonly samples: readonly Sample[]
  readonly heaps: readonly number[]
  /** After the traffic. */
  readonly rest: Sample
  readonly calls: RepeatedCalls
  readonly idlePercent: number
}

function report(engine: string, { samples, heaps, rest, calls, idlePercent }: Soaked): boolean {
  const found = growths(samples)
  console.log(`${engine}: ${minutes} minutes, ${calls.answered} requests answered`)
  for (const { what, first, last, isFlat } of found)
    console.log(
      `  ${what}: ${first} in the first third, ${last} in the last: ${isFlat ? 'flat' : 'GROWS'}`,
    )
  // Caches fill during the first third.
  const isHeapFlat = isFlatHeap(heaps)
  const written = heaps.map((heap) => heap.toFixed(1)).join(', ')
  console.log(`  heap in MB after collections: ${written}: ${isHeapFlat ? 'flat' : 'GROWS'}`)
  console.log(
    `  at rest: ${rest.megabytes.toFixed(0)} MB, ${rest.files} open files, ${rest.sockets} sockets, ${rest.children} child processes`,
  )
  const isIdle = idlePercent < mostIdlePercent
  console.log(`  idle CPU: ${idlePercent.toFixed(2)} %${isIdle ? '' : ': NOT IDLE'}`)
  console.log(`  failed requests: ${calls.failures.length}`)
  for (const failure of calls.failures.slice(0, 10)) console.log(`    ${failure}`)
  const isFlat = isHeapFlat && found.every((one) => one.isFlat)
  return isFlat && isIdle && calls.failures.length === 0
}

function isFlatHeap([, first = 0, , last = 0]: readonly number[]): boolean {
  return last <= first * 1.1 + 5
}
