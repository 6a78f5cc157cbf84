import { parseArgs } from 'node:util'
import { parleySubject, type ParleySubject } from '../subjects/start-subjects.ts'
import { direct } from '../subjects/peers.ts'
import { startBenchPostgres } from '../subjects/postgres.ts'
import type { Question, Subject } from '../subjects/subject.ts'
import { startGenerator } from './generator.ts'
import { microsNow, partsOf, type Window } from '../suite/hot-path.ts'
import type { LoadResult } from './load.ts'

/**
 * Compares chat turns with direct calls to the same mock model server, in one run, so that the
 * machine's noise affects both. `npm run bench:chat -- [--engine sqlite|postgres] [--seconds 5]`.
 * Services with different numbers of workers take turns.
 */

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'whole,session,burst,paced' },
    callers: { type: 'string', default: '1,32,128,200' },
    workers: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    profile: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const only = new Set(values.only.split(','))
const callers = values.callers.split(',').map(Number)
const workers = values.workers.split(',')

/** The loads of the service, which a profile is divided by. */
const windows = new Map<string, Window>()
const generator = await startGenerator()
const found = values.engine === 'postgres' ? await startBenchPostgres() : null
if (typeof found === 'string') throw new Error(found)
const postgres = found
try {
  await bench(generator.modelUrl)
} finally {
  generator.stop()
  await postgres?.stop()
}

async function bench(modelUrl: string): Promise<void> {
  const model = direct(modelUrl)
  const services: Measured[] = []
  try {
    for (const count of workers) services.push(await startMeasured(modelUrl, count))
    header()
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const inTurn = round % 2 === 0 ? services : services.toReversed()
      for (const kind of ['whole', 'session', 'burst'] as const)
        if (only.has(kind))
          for (const concurrency of callers)
            for (const one of inTurn) await compare(one, model, kind, concurrency)
      if (only.has('paced')) for (const one of inTurn) await compare(one, model, 'paced', 200)
    }
    for (const { service, count } of services)
      console.log(`${count} workers: ${(await service.memory()).toFixed(0)} MB after the load`)
  } finally {
    for (const { service } of services) await service.stop()
  }
  if (values.profile !== undefined) showParts(values.profile)
}

function showParts(folder: string): void {
  for (const [load, window] of windows) {
    const parts = partsOf(folder, window)
    const sum = parts.reduce((total, { micros }) => total + micros, 0)
    console.log(`\n${load}: µs of a turn on the event loop`)
    for (const { name, micros } of [...parts, { name: 'Sum', micros: sum }])
      console.log(`${micros.toFixed(1).padStart(10)}  ${name}`)
  }
}

interface Measured {
  readonly service: ParleySubject
  /** The number of workers, as it was given. */
  readonly count: string
}

async function startMeasured(modelUrl: string, count: string): Promise<Measured> {
  const name = postgres === null ? 'sqlite' : 'postgres'
  const options = { modelUrl, profileFolder: values.profile ?? null, launch: { WORKERS: count } }
  const service = await parleySubject(name, options, postgres)
  console.log(
    `engine ${values.engine}, ${count} workers: ready in ${service.readySeconds.toFixed(2)} s`,
  )
  await pause(3_000)
  console.log(`memory at rest ${(await service.memory()).toFixed(0)} MB`)
  // The first requests of each process compile the code; a user's hundredth turn is what matters.
  for (const stream of [false, true])
    await generator.load(service.ask({ messages: 1, model: 'mock', stream }), 32, 3 * Number(count))
  return { service, count }
}

type Kind = 'whole' | 'session' | 'burst' | 'paced'

async function compare(
  { service, count }: Measured,
  model: Subject,
  kind: Kind,
  concurrency: number,
): Promise<void> {
  const question: Question = {
    messages: 1,
    model: kind === 'paced' ? 'paced' : 'mock',
    stream: kind === 'burst' || kind === 'paced',
  }
  const alone = await generator.load(model.ask(question), concurrency, seconds)
  const cpu = async () => ({
    service: await service.ownCpu(),
    database: (await postgres?.cpu()) ?? 0,
  })
  const before = await cpu()
  const startedAt = performance.now()
  let most = 0
  const sampler = setInterval(() => {
    void service.memory().then((megabytes) => (most = Math.max(most, megabytes)))
  }, 200)
  const turnsPerSession = kind === 'session' ? 10 : 1
  const target = { ...service.ask(question), turnsPerSession }
  const from = microsNow()
  const parley = await generator.load(target, concurrency, seconds)
  windows.set(`${kind}, ${concurrency} callers`, { from, to: microsNow(), turns: parley.answers })
  clearInterval(sampler)
  const after = await cpu()
  const cores = (after.service - before.service) / ((performance.now() - startedAt) / 1000)
  const perTurn = (seconds: number) => ((seconds * 1e6) / parley.answers).toFixed(0)
  row([
    kind,
    String(concurrency),
    count,
    ...columns(alone, parley),
    cores.toFixed(2),
    `${perTurn(after.service - before.service)}/${perTurn(after.database - before.database)}`,
    most.toFixed(0),
  ])
}

function columns(direct: LoadResult, parley: LoadResult): string[] {
  return [
    direct.perSecond.toFixed(0),
    parley.perSecond.toFixed(0),
    (parley.perSecond / direct.perSecond).toFixed(2),
    `${direct.p50.toFixed(2)}/${parley.p50.toFixed(2)}`,
    `${direct.p99.toFixed(1)}/${parley.p99.toFixed(1)}`,
    `${direct.firstP50.toFixed(1)}/${parley.firstP50.toFixed(1)}`,
    String(parley.failures),
  ]
}

function header(): void {
  row([
    'kind',
    'c',
    'workers',
    'direct/s',
    'ours/s',
    'ratio',
    'p50 ms',
    'p99 ms',
    'first ms',
    'failed',
    'cores',
    'us/turn',
    'MB',
  ])
}

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padStart(index < 2 ? 8 : 13)).join(''))
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
