import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { startBenchPostgres } from '../subjects/postgres.ts'
import { conversation } from '../subjects/subject.ts'
import { signIn, startCheckout, type CostService } from './service.ts'

/**
 * Compares what a request costs in two checkouts: a sign-in, the check of a developer key and of an
 * access token, the list of the MCP server's tools, a change of one workspace by all callers, and a
 * chat turn with one message and with ten.
 *
 * `npm run bench:cost -- --before FOLDER [--after FOLDER] [--engine sqlite|postgres] [--rounds 60]
 * [--seconds 0.3] [--callers 8]`
 *
 * Both services run at the same time, and take turns: before, after, after, before. So a machine
 * that becomes slower or faster meanwhile affects both alike. Each turn sends a fixed number of
 * requests, which takes about `--seconds` of CPU time.
 */

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: join(import.meta.dirname, '..', '..') },
    engine: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '0.3' },
    callers: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
})
if (values.before === undefined) throw new Error('--before needs the folder of a checkout')
const callers = Number(values.callers)
/** CPU time in which the service compiles its code, before anything is measured. */
const warmUpSeconds = 4

/** The cost of one turn of requests. */
interface Sample {
  /** Microseconds of CPU time: of the process and the PostgreSQL server, and of the event loop. */
  readonly whole: number
  readonly loop: number
  /** Of the PostgreSQL server with all its processes; 0 on SQLite. */
  readonly server: number
  readonly p50: number
}

/** A service on a database of its own. */
interface Side extends CostService {
  serverCpu(): Promise<number>
}

interface Kind {
  readonly name: string
  /** A function that sends one request and fails unless it succeeds. */
  open(service: CostService, pool: Pool): () => Promise<void>
  /** Removes what the requests of a turn left behind and no real use collects. Not measured. */
  tidy?(service: CostService): Promise<void>
}

const kinds: readonly Kind[] = [
  {
    name: 'sign-in',
    open:
      ({ origin }) =>
      async () => {
        const { url } = await signIn(origin)
        if (url.pathname === '/login') throw new Error('a sign-in failed')
      },
    // A person has SESSIONS_PER_PERSON sessions at most, by default 100.
    tidy: (service) => service.endSessions(),
  },
  { name: 'developer key', open: (service, pool) => ping(pool, service.developerKey) },
  { name: 'access token', open: (service, pool) => ping(pool, service.accessToken) },
  { name: 'tools list', open: (service, pool) => listTools(pool, service.developerKey) },
  { name: 'workspace update', open: (service, pool) => rename(pool, service.developerKey) },
  { name: 'chat turn', open: (service, pool) => chat(pool, service, 1, false) },
  { name: 'ten messages', open: (service, pool) => chat(pool, service, 10, false) },
  { name: 'chat stream', open: (service, pool) => chat(pool, service, 1, true) },
]

/** The cheapest request of the MCP server: little more than the check of its credential. */
function ping(pool: Pool, token: string): () => Promise<void> {
  const accept = 'application/json, text/event-stream'
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return () => post(pool, '/mcp', token, { accept }, body)
}

/** The longest answer of the MCP server. */
function listTools(pool: Pool, token: string): () => Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  return () => post(pool, '/mcp', token, {}, body)
}

/** Changes the same row, and records an event of the audit log. */
function rename(pool: Pool, token: string): () => Promise<void> {
  const params = { name: 'update_workspace', arguments: { name: 'Bench' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return () => post(pool, '/mcp', token, {}, body)
}

function chat(pool: Pool, { agentName, chatKey }: CostService, messages: number, stream: boolean) {
  const body = JSON.stringify({ model: agentName, messages: conversation(messages), stream })
  return () => post(pool, '/api/v1/chat/completions', chatKey, {}, body)
}

async function post(
  pool: Pool,
  path: string,
  token: string,
  more: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more }
  const response = await pool.request({ method: 'POST', path, headers, body })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`)
}

/** Sends requests from several callers at once, each waiting for its answer. */
async function sendAll(send: () => Promise<void>, requests: number): Promise<readonly number[]> {
  const times: number[] = []
  let left = requests
  const caller = async () => {
    while (left > 0) {
      left -= 1
      const startedAt = performance.now()
      await send()
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return times.toSorted((a, b) => a - b)
}

async function sample(service: Side, send: () => Promise<void>, requests: number): Promise<Sample> {
  const before = { ...(await service.cpu()), server: await service.serverCpu() }
  const times = await sendAll(send, requests)
  const after = { ...(await service.cpu()), server: await service.serverCpu() }
  const microseconds = (field: 'whole' | 'loop' | 'server') =>
    ((after[field] - before[field]) * 1e6) / requests
  const p50 = times[Math.floor(times.length / 2)] ?? Number.NaN
  const [whole, server] = [microseconds('whole'), microseconds('server')]
  return { whole: whole + server, loop: microseconds('loop'), server, p50 }
}

/** How many requests take the given CPU time, once the code is compiled. */
async function requestsFor(
  { cpu }: CostService,
  send: () => Promise<void>,
  seconds: number,
): Promise<number> {
  const { whole: startedAt } = await cpu()
  for (let requests = callers; ; requests *= 2) {
    const { whole: before } = await cpu()
    await sendAll(send, requests)
    const { whole: now } = await cpu()
    const used = now - before
    if (now - startedAt >= warmUpSeconds && used >= seconds / 2)
      return Math.ceil((requests * seconds) / used)
  }
}

type Pair = readonly [before: Side, after: Side]

async function compare(kind: Kind, pair: Pair): Promise<void> {
  const pools = pair.map(({ origin }) => new Pool(origin, { connections: callers }))
  const sides = pair.map((service, n) => {
    const pool = pools[n]
    if (pool === undefined) throw new Error('a pool per service')
    return { service, send: kind.open(service, pool), samples: [] as Sample[] }
  })
  const counts: number[] = []
  for (const { service, send } of sides)
    counts.push(await requestsFor(service, send, Number(values.seconds)))
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const { service } of sides) await kind.tidy?.(service)
    for (const { service, send, samples } of round % 2 === 0 ? sides : sides.toReversed())
      samples.push(await sample(service, send, Math.min(...counts)))
  }
  await Promise.all(pools.map((pool) => pool.close()))
  const [before = [], after = []] = sides.map(({ samples }) => samples)
  const cells = fields.flatMap((field) => ratio(before, after, field))
  row([kind.name, String(Math.min(...counts)), ...cells])
}

/** The medians, and the median of the ratios of all pairs with its 95 % interval: pauses of a busy machine count little. */
function ratio(
  before: readonly Sample[],
  after: readonly Sample[],
  field: keyof Sample,
): readonly string[] {
  const ratios = after
    .map((one, n) => one[field] / (before[n]?.[field] ?? Number.NaN))
    .toSorted((a, b) => a - b)
  const at = (rank: number) => ratios[Math.round(rank)] ?? Number.NaN
  const [middle, spread] = [(ratios.length - 1) / 2, Math.sqrt(ratios.length)]
  const median = (all: readonly Sample[]) =>
    all.map((one) => one[field]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
  const digits = field === 'p50' ? 2 : 0
  return [
    median(before).toFixed(digits),
    median(after).toFixed(digits),
    at(middle).toFixed(3),
    `${at(middle - spread).toFixed(2)}–${at(middle + spread).toFixed(2)}`,
  ]
}

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, n) => cell.padStart(n === 0 ? 18 : 11)).join(''))
}

const mock = fork(join(import.meta.dirname, '..', 'chat', 'mock-model.ts'))
const [modelBaseUrl] = (await once(mock, 'message')) as [string] // It sends its address.
const stops: (() => unknown)[] = [() => mock.disconnect()]
const isPostgres = values.engine === 'postgres'
const fields = isPostgres
  ? (['whole', 'loop', 'server', 'p50'] as const)
  : (['whole', 'loop', 'p50'] as const)
const titles = { whole: 'us CPU', loop: 'of loop', server: 'of server', p50: 'p50 ms' }

async function open(checkout: string): Promise<Side> {
  const postgres = isPostgres ? await startBenchPostgres() : null
  if (typeof postgres === 'string') throw new Error(postgres)
  if (postgres !== null) stops.unshift(() => postgres.stop())
  const databaseUrl = (await postgres?.newDatabase()) ?? null
  const service = await startCheckout({ checkout: resolve(checkout), modelBaseUrl, databaseUrl })
  stops.unshift(() => service.stop())
  return { ...service, serverCpu: async () => (await postgres?.cpu()) ?? 0 }
}

try {
  const pair: Pair = [await open(values.before), await open(values.after)]
  console.log(`engine ${values.engine}, ${values.rounds} pairs, ${callers} callers`)
  const columns = fields.flatMap((field) => [titles[field], 'after', 'ratio', '95 %'])
  row(['', 'requests', ...columns])
  for (const kind of kinds)
    if (values.only === undefined || values.only.split(',').includes(kind.name))
      await compare(kind, pair)
} finally {
  for (const stop of stops) await stop()
}
