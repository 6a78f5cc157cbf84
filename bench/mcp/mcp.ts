import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../server/test/support/embedded-postgres.ts'
import type { LoadPlan, LoadResult } from '../chat/load.ts'
import { startService, type McpBenchService } from './service.ts'

/**
 * Measures how many tool lists and tool calls one process on one core answers, in both revisions of
 * the protocol, with and without a rate limit: `node bench/mcp/mcp.ts [--engine sqlite|postgres]
 * [--seconds 3]`. `taskset` assigns the cores, so it needs Linux and at least two cores.
 */

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '3' },
  },
})
const seconds = Number(values.seconds)

const era = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': era,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Question {
  readonly name: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

// All cores but the service's, also for the processes that this one starts.
if (cpus().length < 2) throw new Error('The service and its clients need a core each')
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', othersCores(), String(process.pid)])

const generator = fork(join(import.meta.dirname, '..', 'chat', 'load.ts'))
const postgres = values.engine === 'postgres' ? await startPostgres({ durable: true }) : null
try {
  for (const limited of [false, true]) await bench(limited)
} finally {
  generator.disconnect()
  await postgres?.stop()
}

async function bench(limited: boolean): Promise<void> {
  const service = await startService(postgres?.url ?? null, limited)
  try {
    const counting = limited ? 'every request counted' : 'no limit to count'
    console.log(
      `\nengine ${values.engine}, ${counting}; ready in ${service.readySeconds.toFixed(2)} s`,
    )
    await pause(1_000)
    console.log(`memory at rest ${(await service.memory()).toFixed(0)} MB`)
    const list = { name: 'tools/list', method: 'tools/list', params: {} }
    const first = await load(plan(service, list, false), 1, 0.001)
    console.log(
      `first request ${first.p50.toFixed(0)} ms, memory then ${(await service.memory()).toFixed(0)} MB`,
    )
    row(['question', 'era', 'c', 'per s', 'p50 ms', 'p99 ms', 'failed', 'ms CPU', 'MB'])
    for (const question of questions(service))
      for (const modern of [false, true]) await measure(service, question, modern)
  } finally {
    await service.stop()
  }
}

function questions({ appId }: McpBenchService): readonly Question[] {
  const call = (name: string, input: object) => ({
    name,
    method: 'tools/call',
    params: { name, arguments: input },
  })
  return [
    { name: 'tools/list', method: 'tools/list', params: {} },
    call('whoami', {}),
    call('get_app', { app_id: appId }),
    call('update_workspace', { name: 'Bench' }),
  ]
}

async function measure(
  service: McpBenchService,
  question: Question,
  modern: boolean,
): Promise<void> {
  const target = plan(service, question, modern)
  // The first requests compile the code; a user's hundredth call is what matters.
  await load(target, 16, 1)
  for (const concurrency of [1, 32]) {
    const before = await service.cpu()
    const result = await load(target, concurrency, seconds)
    const cpuMs = (((await service.cpu()) - before) * 1000) / Math.max(result.answers, 1)
    row([
      question.name,
      modern ? '2026' : '2025',
      String(concurrency),
      result.perSecond.toFixed(0),
      result.p50.toFixed(2),
      result.p99.toFixed(1),
      String(result.failures),
      cpuMs.toFixed(2),
      (await service.memory()).toFixed(0),
    ])
  }
}

type Target = Omit<LoadPlan, 'concurrency' | 'seconds'>

function plan({ origin, key }: McpBenchService, question: Question, modern: boolean): Target {
  const { method } = question
  const params = modern ? { ...question.params, _meta } : question.params
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const headers = modern ? { 'mcp-protocol-version': era, 'mcp-method': method, ...name } : {}
  return {
    origin,
    path: '/mcp',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    stream: false,
  }
}

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padStart(index === 0 ? 17 : 9)).join(''))
}

async function load(target: Target, concurrency: number, forSeconds: number): Promise<LoadResult> {
  generator.send({ ...target, concurrency, seconds: forSeconds } satisfies LoadPlan)
  return await message(generator)
}

async function message(child: ChildProcess): Promise<LoadResult> {
  // The generator sends only messages of the type that its file defines.
  const [value] = (await once(child, 'message')) as [LoadResult]
  return value
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** A list of cores as taskset writes it, such as `0-2` of four. */
function othersCores(): string {
  return `0-${cpus().length - 2}`
}
