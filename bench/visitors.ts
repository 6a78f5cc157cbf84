import { parseArgs } from 'node:util'
import { freePort } from '../server/test/support/free-port.ts'
import type { LoadResult, Target } from './chat/load.ts'
import { startGenerator } from './chat/generator.ts'
import { heapAfterCollection } from './subjects/collect-garbage.ts'
import { startParley, type Parley } from './subjects/parley.ts'
import { direct } from './subjects/peers.ts'
import { microsNow, partsOf, type Window } from './suite/hot-path.ts'

/**
 * Visitors of a chat page who all read an answer at the same time, on one process with SQLite, compared
 * with direct calls of the same mock model: `node bench/visitors.ts [--visitors 500] [--rounds 5]`. Each
 * round is a wave of new visitors. Each answer lasts six seconds, and the visitors ask one after the other
 * within the first five, or all at once with `--spread 0`. `--collect` collects the service's garbage after
 * each round and shows what is left. `--profile FOLDER` shows what the event loop does until all have their
 * first chunk. The last lines sum up the first chunk beyond the model's, and the growth of memory.
 */

const { values } = parseArgs({
  options: {
    visitors: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    spread: { type: 'string', default: '5000' },
    collect: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const visitors = Number(values.visitors)
const spread = Number(values.spread)
/** Limits that count every request and stop none. */
const outOfReach = {
  VISITOR_RATE_LIMIT: '1000000000',
  VISITOR_ADDRESS_RATE_LIMIT: '1000000000',
  VISITOR_REQUEST_LIMIT: '1000000000',
  VISITOR_PROOF_AT: '1000000000',
}

const generator = await startGenerator()
const inspector = values.collect ? await freePort() : null
const parley = await startParley({
  modelUrl: generator.modelUrl,
  databaseUrl: null,
  launch: outOfReach,
  profileFolder: values.profile ?? null,
  nodeFlags: inspector === null ? [] : [`--inspect=127.0.0.1:${inspector}`],
})
const beginnings: Window[] = []
const waves: Wave[] = []
try {
  const path = await openPage(parley)
  const asked = direct(generator.modelUrl).ask({ messages: 1, model: 'paced', stream: true })
  const model = { ...asked, body: asked.body.replace('paced', 'slow') }
  console.log(`${visitors} visitors; ${inWords(await memory())} before their first message`)
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const page = await visitorsOf(parley, path)
    const alone = await generator.load(model, visitors, 0, spread)
    const from = microsNow()
    const served = await generator.load(page, visitors, 0, spread)
    // The first round compiles the code.
    if (round > 1) beginnings.push({ from, to: from + toFirst(served), turns: visitors })
    show('model alone', alone)
    show('chat page', served)
    const added = served.firstP50 - alone.firstP50
    const last = served.firstP99 - alone.firstP99
    const wave = { added, last, failures: served.failures, ...(await memory()) }
    waves.push(wave)
    console.log(
      `round ${round}: first chunk +${added.toFixed(0)} ms (p50), +${last.toFixed(0)} ms (p99); ${inWords(wave)}`,
    )
  }
  showWaves()
} finally {
  await parley.stop()
  generator.stop()
}
if (values.profile !== undefined) showParts(values.profile)

/** Microseconds until almost all visitors have their first chunk. */
function toFirst({ firstP99 }: LoadResult): number {
  return (spread + firstP99) * 1000
}

/** Megabytes that the service has. */
interface Memory {
  /** After a collection; null without `--collect`. */
  readonly heap: number | null
  readonly resident: number
}

interface Wave extends Memory {
  /** Milliseconds of the first chunk beyond the model's, of the middle visitor and of the last ones. */
  readonly added: number
  readonly last: number
  readonly failures: number
}

async function memory(): Promise<Memory> {
  const heap = inspector === null ? null : await heapAfterCollection(inspector)
  return { heap, resident: await parley.memory() }
}

function inWords({ heap, resident }: Memory): string {
  return `${heap === null ? '' : `heap ${heap.toFixed(1)} MB, `}${resident.toFixed(0)} MB`
}

/** The first wave compiles the code and fills the caches, so growth is counted from the second. */
function showWaves(): void {
  const [, second] = waves
  const end = waves.at(-1)
  if (second === undefined || end === undefined) return
  const worst = (key: 'added' | 'last') => Math.max(...waves.slice(1).map((wave) => wave[key]))
  const failures = waves.reduce((sum, wave) => sum + wave.failures, 0)
  const grown = (before: number, after: number) =>
    `${(after - before).toFixed(1)} MB (${(((after - before) / before) * 100).toFixed(1)} %)`
  console.log(
    `from the second wave: first chunk at most +${worst('added').toFixed(0)} ms (p50), +${worst('last').toFixed(0)} ms (p99); ${failures} failures`,
  )
  console.log(
    `memory from wave 2 to ${waves.length}: resident ${grown(second.resident, end.resident)}${second.heap === null || end.heap === null ? '' : `, heap ${grown(second.heap, end.heap)}`}`,
  )
}

function show(name: string, result: LoadResult): void {
  const { answers, failures, failure, firstP50, firstP99, longestGap } = result
  console.log(
    `  ${name}: ${answers} answers, ${failures} failures${failure === null ? '' : ` (${failure})`}, first chunk ${firstP50.toFixed(0)} ms (p50), ${firstP99.toFixed(0)} ms (p99), longest gap ${longestGap.toFixed(0)} ms`,
  )
}

function showParts(folder: string): void {
  for (const window of beginnings) {
    const parts = partsOf(folder, window)
    const micros = parts.reduce((total, part) => total + part.micros, 0)
    console.log('\nµs of a visitor on the event loop until the first chunks')
    for (const part of [...parts, { name: 'Sum', micros }])
      console.log(`${part.micros.toFixed(1).padStart(10)}  ${part.name}`)
  }
}

/** @returns the path of a chat page */
async function openPage({ call }: Parley): Promise<string> {
  const { id, app_name_id } = await call('create_app', { name: 'Bench', model: 'openai/slow' })
  await call('update_chat_page', { app_id: id, enabled: true, daily_messages: 1_000_000 })
  return `/chat/${app_name_id}`
}

/** The page's messages, each from a new visitor. */
async function visitorsOf({ origin }: Parley, path: string): Promise<Target> {
  const tokens: string[] = []
  while (tokens.length < visitors) {
    const html = await (await fetch(origin + path)).text()
    tokens.push(/"token":"([^"]+)"/.exec(html)?.[1] ?? '')
  }
  const headers = { 'content-type': 'application/json', origin: 'null' }
  return {
    origin,
    path: `${path}/messages`,
    headers,
    body: JSON.stringify({ text: 'Say forty words about the sea.' }),
    stream: true,
    firstText: '"type":"text"',
    variants: tokens.map((token) => ({
      headers: { ...headers, authorization: `Bearer ${token}` },
    })),
  }
}
