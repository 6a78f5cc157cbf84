/**
 * Measures how reading a large source slows down chats: a PDF of 300 pages, a CSV of 50 MB and a site
 * of 2,000 pages, each while chats with the same agent begin at a steady pace. Prints the time, the
 * memory of the service and its worker, and the latency of chats meanwhile and of the idle service
 * afterwards, which then searches the same knowledge. The exit code is 1 if reading more than doubled
 * the p99 of a source.
 *
 *   node bench/ingestion.ts [pdf|csv|crawl …]
 *
 * `pdf=20 csv=1 crawl=50` reads that many pages, megabytes and pages instead, to try out this script.
 *
 * The model is a server that answers at once, so that its time does not hide the service's.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { addFileSource, addUrlSource } from '../server/src/features/ingestion/index.ts'
import { getSource } from '../server/src/features/knowledge/index.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { openDatabase } from '../server/src/platform/db/open-database.ts'
import { createJobs } from '../server/src/platform/jobs/create-jobs.ts'
import { createObjects } from '../server/src/platform/object-store/objects.ts'
import { startModelServer } from '../server/test/support/servers/model-server.ts'
import { makePdf } from '../server/test/support/knowledge/sample-documents.ts'
import { startSite } from '../server/test/support/servers/site-server.ts'
import { main, startScript } from './scripts.ts'

const wanted = new Map(process.argv.slice(2).map((name) => pair(name)))
const sizeOf = (name: string, usual: number) => wanted.get(name) ?? usual

function pair(argument: string): [name: string, size: number | null] {
  const [name = '', size] = argument.split('=')
  return [name, size === undefined ? null : Number(size)]
}

const run = promisify(execFile)
const chatsPerSecond = 20
const baselineSeconds = 10

const words = 'valve pressure return engine order parcel invoice window garden number'.split(' ')
const sentence = (n: number) =>
  `${words.map((word, at) => `${word} ${(n * 7919 + at * 104729) % 9973}`).join(', ')}.`

interface Chat {
  readonly url: string
  readonly key: string
  readonly model: string
}

async function ask({ url, key, model }: Chat): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'engine pressure 17?' }] }),
  })
  await response.text()
  if (!response.ok) throw new Error(`a chat was answered ${response.status}`)
  return performance.now() - startedAt
}

/** Begins chats at a steady pace, regardless of how long each takes, until `isOver`. */
async function latencies(chat: Chat, isOver: () => boolean): Promise<number[]> {
  const asked: Promise<number>[] = []
  while (!isOver()) {
    asked.push(ask(chat))
    await sleep(1000 / chatsPerSecond)
  }
  return (await Promise.all(asked)).toSorted((a, b) => a - b)
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}

function at(sorted: readonly number[], part: number): string {
  return quantile(sorted, part).toFixed(1)
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

async function childrenOf(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(/\) \S (\d+)/.exec(stat)?.[1]) === pid) found.push(Number(name))
  }
  return found
}

/** Returns the peak memory of the service and its workers until `isOver`. */
async function peaks(pid: number, isOver: () => boolean) {
  const peak = { service: 0, worker: 0 }
  while (!isOver()) {
    peak.service = Math.max(peak.service, await residentMegabytes(pid))
    for (const child of await childrenOf(pid))
      peak.worker = Math.max(peak.worker, await residentMegabytes(child))
    await sleep(100)
  }
  return peak
}

async function untilReady(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const piece of child.stdout ?? []) {
    text += String(piece)
    const url = /ready at (\S+)/.exec(text)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the service ended before it was ready')
}

const model = await startModelServer({ reply: 'Fine.', record: false })
const sitePages = Object.fromEntries(
  Array.from({ length: sizeOf('crawl', 2000) }, (_, n) => {
    const links = [1, 2, 3].map((by) => `<a href="/p${n * 3 + by}">next</a>`).join('')
    const text = Array.from({ length: 12 }, (__, k) => `<p>${sentence(n * 12 + k)}</p>`).join('')
    return [n === 0 ? '/' : `/p${n}`, `<title>Page ${n}</title><main>${text}${links}</main>`]
  }),
)
const site = await startSite(sitePages)
const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
const environment = {
  ...process.env,
  DATA_DIR: folder,
  PORT: '0',
  DEMO: 'false',
  LOG_LEVEL: 'warn',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_API_KEY: 'bench',
  OUTBOUND_ALLOW_PRIVATE: site.host,
}
const service = spawn(process.execPath, [startScript], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
})

async function call(operation: string, input: object): Promise<Record<string, string>> {
  const args = [main, 'call', operation, JSON.stringify(input)]
  const { stdout } = await run(process.execPath, args, { env: environment })
  return JSON.parse(stdout)
}

try {
  const url = await untilReady(service)
  service.stdout?.resume()
  const pid = service.pid ?? 0
  const agent = await call('create_app', { name: 'Bench', model: 'openai/mock' })
  const { key = '' } = await call('create_chat_key', { app_id: agent.id, name: 'bench' })
  const chat: Chat = { url, key, model: agent.app_name_id ?? '' }
  const config = readConfig(environment)
  const db = openDatabase(config, pino({ level: 'error' }))
  const jobs = createJobs(systemClock)
  const ctx = { db, config, clock: systemClock, jobs, objects: createObjects(config) }
  const appId = agent.id ?? ''
  const workspaceId = agent.workspace_id ?? ''
  const file = (filename: string, bytes: Iterable<Uint8Array>) =>
    addFileSource(ctx, workspaceId, { appId, filename, bytes })

  const sources = {
    pdf: () => {
      const pages = Array.from({ length: sizeOf('pdf', 300) }, (_, n) =>
        [`# Chapter ${n}`, ...Array.from({ length: 40 }, (__, k) => sentence(n * 40 + k))].join(
          '\n',
        ),
      )
      return file('book.pdf', [makePdf(pages)])
    },
    csv: () => file('table.csv', csvPieces(sizeOf('csv', 50) * 1_000_000)),
    crawl: () =>
      addUrlSource(ctx, workspaceId, {
        appId,
        kind: 'url',
        url: `${site.origin}/`,
        crawl: { depth: 10, maxPages: 2000, include: [], exclude: [], title: null },
        refreshEvery: null,
      }),
  }

  for (let warm = 0; warm < 50; warm++) await ask(chat)
  const idling = () => {
    const endsAt = performance.now() + baselineSeconds * 1000
    return latencies(chat, () => performance.now() > endsAt)
  }
  const atFirst = await idling()
  console.log(
    `knowing nothing: chat p50 ${at(atFirst, 0.5)} ms, p99 ${at(atFirst, 0.99)} ms, ` +
      `service ${(await residentMegabytes(pid)).toFixed(0)} MB`,
  )
  for (const [name, add] of Object.entries(sources)) {
    if (wanted.size > 0 && !wanted.has(name)) continue
    let isOver = false
    const startedAt = performance.now()
    const source = await add()
    const watching = Promise.all([latencies(chat, () => isOver), peaks(pid, () => isOver)])
    let now = source
    while (now.status === 'queued' || now.status === 'processing') {
      await sleep(200)
      now = await getSource(ctx, workspaceId, source.id)
    }
    isOver = true
    const seconds = (performance.now() - startedAt) / 1000
    const [busy, peak] = await watching
    const idle = await idling()
    const factor = quantile(busy, 0.99) / quantile(idle, 0.99)
    const isFine = factor <= 2 && now.status === 'ready'
    if (!isFine) process.exitCode = 1
    console.log(
      `${name.padEnd(6)} chat p50 ${at(busy, 0.5)} ms, p99 ${at(busy, 0.99)} ms, idle afterwards ` +
        `${at(idle, 0.5)} and ${at(idle, 0.99)} ms; service at most ` +
        `${peak.service.toFixed(0)} MB, worker ${peak.worker.toFixed(0)} MB, ${now.status} after ` +
        `${seconds.toFixed(0)} s: ${now.documentCount} documents, ${now.chunkCount} chunks; ` +
        `p99 ${factor.toFixed(2)} times the idle one: ${isFine ? 'ok' : 'FAILED'}`,
    )
  }
  await db.close()
} finally {
  service.kill('SIGTERM')
  await new Promise((resolve) => service.once('exit', resolve))
  await Promise.all([model.stop(), site.stop()])
  await rm(folder, { recursive: true, force: true })
}

function* csvPieces(bytes: number): Generator<Uint8Array> {
  yield Buffer.from('id,about\n')
  for (let size = 0, n = 0; size < bytes;) {
    const rows = Array.from({ length: 500 }, () => `${n},"${sentence(n++)}"\n`).join('')
    size += rows.length
    yield Buffer.from(rows)
  }
}
