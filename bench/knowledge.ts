/**
 * Retrieval on both engines: nDCG@10 on the Cranfield collection, and how long a search takes as
 * what an agent knows grows.
 *
 *   node bench/knowledge.ts [folder of the collection] [most chunks]
 *
 * The collection is not part of the project; by default it lies beside it. Its README defines the
 * measure. Numbers of one machine compare with each other, not with another machine's.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { createAgent } from '../server/src/features/agents/index.ts'
import { createUser } from '../server/src/features/identity/index.ts'
import { addTextSource, searchKnowledge } from '../server/src/features/knowledge/index.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { migrate, openDatabase } from '../server/src/platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '../server/test/support/embedded-postgres.ts'
import { ndcgAt10, readCranfield, type Cranfield } from './cranfield.ts'

const folder = process.argv[2] ?? new URL('../../shared/data/cranfield/', import.meta.url).pathname
const mostChunks = Number(process.argv[3] ?? 100_000)
const log = pino({ level: 'error' })

interface Bench {
  readonly ctx: Pick<Context, 'db' | 'clock' | 'config'>
  readonly userId: string
  readonly workspaceId: string
}

async function quality(bench: Bench, { documents, queries, gains }: Cranfield): Promise<void> {
  const { ctx, workspaceId } = bench
  const { id: appId } = await createAgent(ctx, bench, { name: 'Cranfield' })
  const numberOf = new Map<string, number>()
  const startedAt = performance.now()
  for (const { number, title, text } of documents) {
    if (text === '') continue
    const source = await addTextSource(ctx, workspaceId, {
      appId,
      title: title || 'Untitled',
      text,
    })
    numberOf.set(source.id, number)
  }
  const addingMs = performance.now() - startedAt
  const values: number[] = []
  for (const [index, query] of queries.entries()) {
    const found = await searchKnowledge(ctx, workspaceId, { appId, query, topK: 10 })
    const ranked = found.map(({ sourceId }) => numberOf.get(sourceId) ?? 0)
    values.push(ndcgAt10(ranked, gains.get(index + 1) ?? new Map()))
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  console.log(
    `  Cranfield: nDCG@10 ${mean.toFixed(4)} over ${values.length} queries;`,
    `adding ${(addingMs / numberOf.size).toFixed(2)} ms a document`,
  )
}

/** Sections of two abstracts each, mixed so that no two are alike; the same on every run. */
function* sections({ documents }: Cranfield): Generator<string> {
  let seed = 1
  const pick = (): string => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1
    const words = (documents[seed % documents.length]?.text ?? '').split(/\s+/)
    const start = seed % Math.max(1, words.length - 75)
    return words.slice(start, start + 75).join(' ')
  }
  for (let number = 1; ; number += 1) yield `# Section ${number}\n\n${pick()}. ${pick()}.`
}

const sectionsPerSource = 500

async function growth(bench: Bench, cranfield: Cranfield, chunks: number): Promise<void> {
  const { ctx, workspaceId } = bench
  const { id: appId } = await createAgent(ctx, bench, { name: `${chunks} chunks` })
  const source = sections(cranfield)
  let bytes = 0
  const startedAt = performance.now()
  for (let added = 0; added < chunks; added += sectionsPerSource) {
    const parts = Array.from({ length: sectionsPerSource }, () => source.next().value ?? '')
    const text = parts.join('\n\n')
    bytes += text.length
    await addTextSource(ctx, workspaceId, { appId, title: `Source ${added}`, text })
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const latencies: number[] = []
  for (const query of [...cranfield.queries.slice(0, 5), ...cranfield.queries]) {
    const begun = performance.now()
    await searchKnowledge(ctx, workspaceId, { appId, query, topK: 10 })
    latencies.push(performance.now() - begun)
  }
  const sorted = latencies.slice(5).sort((one, other) => one - other)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  console.log(
    `  ${String(chunks).padStart(7)} chunks: search p50 ${at(0.5)} ms, p99 ${at(0.99)} ms;`,
    `added at ${(bytes / 1e6 / seconds).toFixed(2)} MB/s`,
  )
}

async function runOn(databaseUrl: string | undefined, cranfield: Cranfield): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const config = readConfig({
    MAX_TEXT_SOURCE_BYTES: '100000000',
    ...(databaseUrl === undefined
      ? { DATA_DIR: dataDir }
      : { DATABASE_URL: databaseUrl, SECRET_KEY: '5'.repeat(64) }),
  })
  await migrate(config, log)
  const db = openDatabase(config, log)
  try {
    const ctx = { db, config, clock: systemClock }
    const person = { email: 'bench@example.com', name: 'Bench' }
    const { user, workspaceId } = await createUser(ctx, person)
    const bench = { ctx, userId: user.id, workspaceId }
    console.log(db.engine)
    await quality(bench, cranfield)
    for (const chunks of [1_000, 10_000, 100_000])
      if (chunks <= mostChunks) await growth(bench, cranfield, chunks)
  } finally {
    await db.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const cranfield = await readCranfield((name) => readFile(join(folder, name), 'latin1'))
await runOn(undefined, cranfield)
const absence = postgresAbsence()
if (absence === null) {
  const server = await startPostgres({ durable: true })
  await runOn(server.url, cranfield).finally(() => server.stop())
} else console.log(absence)
