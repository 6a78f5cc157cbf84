import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { startPostgres } from '../../server/test/support/embedded-postgres.ts'
import { cpuSecondsOfFamily, parentOf } from './cpu-time.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { startService, type BenchService } from './service.ts'

/**
 * Compares chat turns with direct calls to the same mock model server, in one run, so that the
 * machine's noise affects both. `npm run bench:chat -- [--engine sqlite|postgres] [--seconds 5]`
 */

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'whole,session,burst,paced' },
    callers: { type: 'string', default: '1,32,128,200' },
    profile: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const only = new Set(values.only.split(','))
const callers = values.callers.split(',').map(Number)

const messages = [{ role: 'user', content: 'Say forty words about the sea.' }]

const model = fork(join(import.meta.dirname, 'mock-model.ts'))
const generator = fork(join(import.meta.dirname, 'load.ts'))
const postgres = values.engine === 'postgres' ? await startPostgres({ durable: true }) : null
const serverPid = postgres === null ? null : await postgresPid(postgres.url)
try {
  await bench(await message<string>(model))
} finally {
  model.disconnect()
  generator.disconnect()
  await postgres?.stop()
}

async function bench(modelBaseUrl: string): Promise<void> {
  const service = await startService(modelBaseUrl, postgres?.url ?? null, values.profile ?? null)
  try {
    console.log(`engine ${values.engine}; ready in ${service.readySeconds.toFixed(2)} s`)
    await pause(3_000)
    console.log(`memory at rest ${(await service.memory()).toFixed(0)} MB`)
    // The first requests compile the code; a user's hundredth turn is what matters.
    await load(ours(service, 'mock', false), 32, 3)
    await load(ours(service, 'mock', true), 32, 3)
    header()
    for (const kind of ['whole', 'session', 'burst'] as const)
      if (only.has(kind))
        for (const concurrency of callers) await compare(service, modelBaseUrl, kind, concurrency)
    if (only.has('paced')) await compare(service, modelBaseUrl, 'paced', 200)
    console.log(`memory after the load ${(await service.memory()).toFixed(0)} MB`)
  } finally {
    await service.stop()
  }
}

type Kind = 'whole' | 'session' | 'burst' | 'paced'

async function compare(
  service: BenchService,
  modelBaseUrl: string,
  kind: Kind,
  concurrency: number,
): Promise<void> {
  const model = kind === 'paced' ? 'paced' : 'mock'
  const stream = kind === 'burst' || kind === 'paced'
  const direct = await load(directly(modelBaseUrl, model, stream), concurrency, seconds)
  const before = { service: await service.cpu(), database: await databaseCpu() }
  const startedAt = performance.now()
  let most = 0
  const sampler = setInterval(() => {
    void service.memory().then((megabytes) => (most = Math.max(most, megabytes)))
  }, 200)
  const turnsPerSession = kind === 'session' ? 10 : 1
  const target = { ...ours(service, model, stream), turnsPerSession }
  const parley = await load(target, concurrency, seconds)
  clearInterval(sampler)
  const cpu = (await service.cpu()) - before.service
  const database = (await databaseCpu()) - before.database
  const cores = cpu / ((performance.now() - startedAt) / 1000)
  const perTurn = (seconds: number) => ((seconds * 1e6) / parley.answers).toFixed(0)
  row([
    kind,
    String(concurrency),
    ...columns(direct, parley),
    cores.toFixed(2),
    `${perTurn(cpu)}/${perTurn(database)}`,
    most.toFixed(0),
  ])
}

/** CPU seconds that the PostgreSQL server has used so far. SQLite's are part of the service's. */
async function databaseCpu(): Promise<number> {
  return serverPid === null ? 0 : await cpuSecondsOfFamily(serverPid)
}

async function postgresPid(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const server = await parentOf(String(rows[0]?.pid))
  await client.end()
  return server
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
    'us/turn',
    'MB',
  ])
}

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padStart(index < 2 ? 8 : 13)).join(''))
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
  // Each child sends only messages of the type that its file defines.
  const [value] = (await once(child, 'message')) as [T]
  return value
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
