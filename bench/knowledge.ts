/**
 * Measures retrieval on both engines: nDCG@10 on the Cranfield collection and on a second one that
 * retrieval was never tuned for (readmes.ts), and the time of a search as an agent's knowledge grows,
 * with vectors off and on.
 *
 * The embedding models are fakes on loopback that count words or letters and know no meaning. They
 * show how long a vector search takes and how well full text holds up beside bad models, not what a
 * good model adds. PostgreSQL with pgvector is PGlite, a WebAssembly build that keeps everything in
 * memory, so its times are not those of a server.
 *
 *   node bench/knowledge.ts [folder of the collection] [most chunks] [most chunks in PGlite] [engines]
 *
 * Engines are some of `sqlite,postgres,pglite`; the default is all. `--growth` skips the quality.
 *
 * The collection is not part of the project. The default folder is beside the checkout. Its README
 * defines the measure. Compare numbers of one machine only.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openInstance } from '../server/src/compose.ts'
import { readConfig } from '../server/src/config.ts'
import { createAgent, updateAgent } from '../server/src/features/agents/index.ts'
import { mergeCrowded } from '../server/src/features/full-text/index.ts'
import { createUser } from '../server/src/features/identity/index.ts'
import { addTextSource } from '../server/src/features/ingestion/index.ts'
import { embedKnowledge } from '../server/src/features/embeddings/index.ts'
import { searchKnowledge } from '../server/src/features/retrieval/index.ts'
import type { Context } from '../server/src/platform/context.ts'
import { startEmbeddingServer } from '../server/test/support/servers/embedding-server.ts'
import { startVectorPostgres } from '../server/test/support/databases/vector-postgres.ts'
import {
  postgresAbsence,
  startPostgres,
} from '../server/test/support/databases/embedded-postgres.ts'
import { longQuestions, ndcgAt10, readCranfield, type Collection } from './cranfield.ts'
import { plainSearch } from './plain-search.ts'
import { readReadmes } from './readmes.ts'
import { percentile } from './suite/statistics.ts'

const folder = process.argv[2] ?? new URL('../../shared/data/cranfield/', import.meta.url).pathname
const maxChunks = Number(process.argv[3] ?? 100_000)
/** PGlite takes minutes where a server takes seconds. */
const maxChunksInPglite = Math.min(maxChunks, Number(process.argv[4] ?? 10_000))
const engines = new Set((process.argv[5] ?? 'sqlite,postgres,pglite').split(','))
const measuresQuality = !process.argv.includes('--growth')
const log = pino({ level: 'error' })

/** The fake models with their dimensions. */
const standIns = { random64: 64, words64: 64, words256: 256, trigrams384: 384, words1024: 1024 }
/** The dimensions of small models, for measuring growth. */
const growthModel = 'words384'
const embeddings = await startEmbeddingServer({
  dimensions: { ...standIns, [growthModel]: 384 },
  record: false,
})

interface Bench {
  readonly ctx: Context
  readonly userId: string
  readonly workspaceId: string
  readonly hasVectors: boolean
}

/** The same service with an embedding model, after it has embedded the agent's knowledge. */
async function embedded(bench: Bench, agentId: string, model: string): Promise<Bench> {
  const { workspaceId } = bench
  const config = { ...bench.ctx.config, embeddingModel: `openai/${model}` }
  const ctx = { ...bench.ctx, config }
  const run = { id: 'bench', attempt: 1, isLast: false, signal: new AbortController().signal }
  await embedKnowledge.run(ctx, { agentId, workspaceId }, run)
  return { ...bench, ctx }
}

/** Beginnings of abstracts, in words, as questions. */
const longQuestionWords = [35, 60, 100, 200]

async function quality(bench: Bench, name: string, collection: Collection): Promise<void> {
  const { documents, queries, gains } = collection
  const { ctx, workspaceId } = bench
  const { id: appId } = await createAgent(ctx, bench, { name })
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
  const measure = async ({ ctx }: Bench, mode: 'hybrid' | 'fulltext' | 'vector') => {
    await updateAgent(ctx, bench, appId, { retrieval: { mode } })
    const values: number[] = []
    for (const [index, query] of queries.entries()) {
      const { items } = await searchKnowledge(ctx, workspaceId, { appId, query, topK: 10 })
      const ranked = items.map(({ sourceId }) => numberOf.get(sourceId) ?? 0)
      values.push(ndcgAt10(ranked, gains.get(index + 1) ?? new Map()))
    }
    return mean(values)
  }
  const plain = plainSearch(collection)
  const plainValues = queries.map((query, index) =>
    ndcgAt10(plain(query, 10), gains.get(index + 1) ?? new Map()),
  )
  console.log(
    `  ${name}: nDCG@10 ${await measure(bench, 'fulltext')} over ${queries.length} queries,`,
    `plain FTS5 ${mean(plainValues)};`,
    `adding ${(addingMs / numberOf.size).toFixed(2)} ms a document`,
  )
  await longQuality(bench, appId, collection, numberOf)
  if (!bench.hasVectors) return
  for (const model of Object.keys(standIns)) {
    const withModel = await embedded(bench, appId, model)
    const [vector, hybrid] = [
      await measure(withModel, 'vector'),
      await measure(withModel, 'hybrid'),
    ]
    console.log(`    with ${model.padEnd(12)} vector ${vector}, hybrid ${hybrid}`)
  }
}

/** Long questions, through Parley and through SQLite's plain full text. */
async function longQuality(
  { ctx, workspaceId }: Bench,
  appId: string,
  collection: Collection,
  numberOf: ReadonlyMap<string, number>,
): Promise<void> {
  const plain = plainSearch(collection)
  for (const words of longQuestionWords) {
    const values: number[] = []
    const plainValues: number[] = []
    for (const { number, query, gains } of longQuestions(collection, words)) {
      const { items } = await searchKnowledge(ctx, workspaceId, { appId, query, topK: 11 })
      const score = (ranked: readonly number[]) =>
        ndcgAt10(ranked.filter((one) => one !== number).slice(0, 10), gains)
      values.push(score(items.map(({ sourceId }) => numberOf.get(sourceId) ?? 0)))
      plainValues.push(score(plain(query, 11)))
    }
    if (values.length === 0) return
    console.log(
      `    ${values.length} questions of ${words} words: nDCG@10 ${mean(values)}, plain FTS5 ${mean(plainValues)}`,
    )
  }
}

function mean(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(4)
}

/** Sections of two abstracts each, mixed so that no two are alike; the same on every run. */
function* sections({ documents }: Collection): Generator<string> {
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

/** What the bench suite receives if it started this one. */
export interface GrowthResult {
  readonly engine: 'sqlite' | 'postgres'
  readonly chunks: number
  readonly search: 'words' | 'words and vectors'
  readonly p50Ms: number
  readonly p99Ms: number
}

function report(bench: Bench, chunks: number, search: GrowthResult['search'], [p50, p99]: Times) {
  const { engine } = bench.ctx.db
  process.send?.({ engine, chunks, search, p50Ms: p50, p99Ms: p99 } satisfies GrowthResult)
}

async function growth(bench: Bench, cranfield: Collection, chunks: number): Promise<void> {
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
  const mergingAt = performance.now()
  await mergeCrowded(ctx)
  const mergingSeconds = (performance.now() - mergingAt) / 1_000
  const words = await searching(bench, appId, cranfield)
  report(bench, chunks, 'words', words)
  console.log(
    `  ${String(chunks).padStart(7)} chunks: search ${written(words)};`,
    `added at ${(bytes / 1e6 / seconds).toFixed(2)} MB/s, merged in ${mergingSeconds.toFixed(1)} s`,
  )
  if (!bench.hasVectors) return
  const begun = performance.now()
  const withModel = await embedded(bench, appId, growthModel)
  const perSecond = chunks / ((performance.now() - begun) / 1_000)
  const hybrid = await searching(withModel, appId, cranfield)
  report(bench, chunks, 'words and vectors', hybrid)
  console.log(
    `          with vectors: search ${written(hybrid)};`,
    `embedded at ${perSecond.toFixed(0)} chunks/s`,
  )
}

/** Milliseconds at p50 and p99. */
type Times = readonly [number, number]

const written = ([p50, p99]: Times) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`

async function searching(
  { ctx, workspaceId }: Bench,
  appId: string,
  { queries }: Collection,
): Promise<Times> {
  const latencies: number[] = []
  for (const query of [...queries.slice(0, 5), ...queries]) {
    const begun = performance.now()
    await searchKnowledge(ctx, workspaceId, { appId, query, topK: 10 })
    latencies.push(performance.now() - begun)
  }
  const measured = latencies.slice(5)
  return [percentile(measured, 0.5), percentile(measured, 0.99)]
}

async function runOn(
  title: string,
  settings: Record<string, string>,
  { hasVectors, most = maxChunks }: { readonly hasVectors: boolean; readonly most?: number },
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const config = readConfig({
    MAX_TEXT_SOURCE_BYTES: '100000000',
    DATA_DIR: dataDir,
    SECRET_KEY: '5'.repeat(64),
    OPENAI_BASE_URL: embeddings.baseUrl,
    OPENAI_API_KEY: 'bench',
    ...settings,
  })
  const { ctx, close } = await openInstance(config, log)
  try {
    const person = { email: 'bench@example.com', name: 'Bench' }
    const { user, workspaceId } = await createUser(ctx, person)
    const bench = { ctx, userId: user.id, workspaceId, hasVectors }
    console.log(title)
    if (measuresQuality) {
      await quality(bench, 'Cranfield', cranfield)
      await quality(bench, 'READMEs', readmes)
    }
    for (const chunks of [1_000, 10_000, 100_000])
      if (chunks <= most) await growth(bench, cranfield, chunks)
      else if (chunks <= maxChunks)
        console.log(`  ${chunks} chunks: left out, at most ${most} here`)
  } finally {
    await close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const readmes = await readReadmes(new URL('../node_modules/', import.meta.url).pathname)
const cranfield = await readCranfield((name) => readFile(join(folder, name), 'latin1'))
if (engines.has('sqlite')) await runOn('sqlite', {}, { hasVectors: true })
if (engines.has('postgres')) await onPostgres()
if (engines.has('pglite')) await onPglite()
await embeddings.stop()

async function onPostgres(): Promise<void> {
  const absence = postgresAbsence()
  if (absence !== null) return console.log(absence)
  const server = await startPostgres({ durable: true })
  try {
    await runOn('postgres', { DATABASE_URL: server.url }, { hasVectors: false })
  } finally {
    await server.stop()
  }
}

async function onPglite(): Promise<void> {
  const withVectors = await startVectorPostgres()
  const settings = { DATABASE_URL: withVectors.url, DATABASE_POOL_SIZE: '3' }
  try {
    await runOn('postgres with pgvector (PGlite)', settings, {
      hasVectors: true,
      most: maxChunksInPglite,
    })
  } finally {
    await withVectors.stop()
  }
}
