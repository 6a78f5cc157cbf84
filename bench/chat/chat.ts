import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../server/test/support/embedded-postgres.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { startService, type BenchService } from './service.ts'

/**
 * Chat turns against the same mock model server called directly, in one run: the machine's noise
 * hits both. `npm run bench:chat -- [--engine sqlite|postgres] [--seconds 5]`
 */

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'whole,burst,paced' },
  },
})
const seconds = Number(values.seconds)
const only = new Set(values.only.split(','))

const messages = [{ role: 'user', content: 'Say forty words about the sea.' }]

const model = fork(join(import.meta.dirname, 'mock-model.ts'))
const generator = fork(join(import.meta.dirname, 'load.ts'))
const postgres = values.engine === 'postgres' ? await startPostgres({ durable: true }) : null
try {
  await bench(await message<string>(model))
} finally {
  model.disconnect()
  generator.disconnect()
  await postgres?.stop()
}

async function bench(modelBaseUrl: string): Promise<void> {
  const service = await startService(modelBaseUrl, postgres?.url ?? null)
  try {
    console.log(`engine ${values.engine}; ready in ${service.readySeconds.toFixed(2)} s`)
    await pause(1_000)
    console.log(`memory at rest ${(await service.memory()).toFixed(0)} MB`)
    // The first requests compile the code; a user's hundredth turn is what matters.
    await load(ours(service, 'mock', false), 32, 3)
    await load(ours(service, 'mock', true), 32, 3)
    header()
    for (const stream of [false, true]) {
      if (!only.has(stream ? 'burst' : 'whole')) continue
      for (const concurrency of [1, 32, 128, 200])
        await compare(service, modelBaseUrl, 'mock', stream, concurrency)
    }
    if (only.has('paced')) await compare(service, modelBaseUrl, 'paced', true, 200)
    console.log(`memory after the load ${(await service.memory()).toFixed(0)} MB`)
  } finally {
    await service.stop()
  }
}

async function compare(
  service: BenchService,
  modelBaseUrl: string,
  kind: 'mock' | 'paced',
  stream: boolean,
  concurrency: number,
): Promise<void> {
  const direct = await load(directly(modelBaseUrl, kind, stream), concurrency, seconds)
  const before = await service.cpu()
  const startedAt = performance.now()
  let most = 0
  const sampler = setInterval(() => {
    void service.memory().then((megabytes) => (most = Math.max(most, megabytes)))
  }, 200)
  const parley = await load(ours(service, kind, stream), concurrency, seconds)
  clearInterval(sampler)
  const cores = ((await service.cpu()) - before) / ((performance.now() - startedAt) / 1000)
  const name = kind === 'paced' ? 'paced' : stream ? 'burst' : 'whole'
  row([name, String(concurrency), ...columns(direct, parley), cores.toFixed(2), most.toFixed(0)])
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
    'direct/s',
    'ours/s',
    'ratio',
    'p50 ms',
    'p99 ms',
    'first ms',
    'failed',
    'cores',
    'MB',
  ])
}

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padStart(index < 2 ? 6 : 13)).join(''))
}

type Target = Omit<LoadPlan, 'concurrency' | 'seconds'>

function directly(modelBaseUrl: string, model: string, stream: boolean): Target {
  const { origin, pathname } = new URL(modelBaseUrl)
  const options = stream ? { stream_options: { include_usage: true } } : {}
  return {
    origin,
    path: `${pathname}/chat/completions`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, stream, ...options }),
    stream,
  }
}

function ours(service: BenchService, kind: 'mock' | 'paced', stream: boolean): Target {
  const { name, key } = service.agents[kind]
  return {
    origin: service.origin,
    path: '/api/v1/chat/completions',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: name, messages, stream }),
    stream,
  }
}

async function load(target: Target, concurrency: number, forSeconds: number): Promise<LoadResult> {
  generator.send({ ...target, concurrency, seconds: forSeconds } satisfies LoadPlan)
  return await message<LoadResult>(generator)
}

async function message<T>(child: ChildProcess): Promise<T> {
  // Each child sends only what its own file says.
  const [value] = (await once(child, 'message')) as [T]
  return value
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
