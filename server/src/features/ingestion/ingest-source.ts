import { findOwned } from '#features/agents/index.ts'
import { awaitEmbedding, embedderOf, type Embedder } from '#features/embeddings/index.ts'
import {
  clearDocument,
  listDocumentRows,
  sumDocuments,
  crawlTicket,
  enqueueIngestion,
  ingestTicket,
  isCrawl,
  plainFacts,
  sourceFromRow,
  isBeingRead,
  updateSource,
  type SourceError,
  type SourceRow,
} from '#features/knowledge/index.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import { defineJob, type JobRun } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Ingestion } from './build-document.ts'
import { finishSource } from './finish-source.ts'
import { ingestFile } from './ingest-file.ts'
import { ingestPages } from './ingest-pages.ts'
import { intervalMs } from './refresh-source.ts'
import { textReader } from './text-reader.ts'

/** Runs, including those ended by a crash, before a source fails. */
const maxTries = 6

const workerModule = new URL('./document-worker.ts', import.meta.url)

/** A page of a document takes seconds at most, a book of a thousand pages a few minutes. */
const workerLimits = {
  heapMegabytes: 256,
  residentMegabytes: 640,
  silenceMs: 60_000,
  totalMs: 20 * 60_000,
}

/** Each uses a worker process and about as much memory: more of them would slow down chats. */
const workerLimit = { max: 3 }

const reading = {
  // The job itself counts to `maxTries`, because giving up also changes the status of the source.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAtOnce: 2,
  sharedLimit: workerLimit,
  backoffMs: (attempt: number) => Math.min(5_000 * 4 ** (attempt - 1), 15 * 60_000),
}

/** Reads a text, a file or a page completely, each chunk once, however often its process dies. */
export const ingestSource = defineJob({
  ...ingestTicket,
  ...reading,
  async run(ctx: Context, { sourceId }, run) {
    const found = await findOwned(ctx.db.read, 'knowledge_sources', sourceId)
    if (found === undefined) return
    // Enqueued before sites had a job of their own.
    if (isCrawl(found)) await ctx.db.write((tx) => enqueueIngestion(ctx, tx, found))
    else await readSource(ctx, found, run)
  },
})

/** Reads a site in the same way. Sites never occupy every worker, so no file waits for a crawl. */
export const crawlSource = defineJob({
  ...crawlTicket,
  ...reading,
  async run(ctx: Context, { sourceId }, run) {
    const found = await findOwned(ctx.db.read, 'knowledge_sources', sourceId)
    if (found !== undefined) await readSource(ctx, found, run)
  },
})

export const ingestionJobs = [ingestSource, crawlSource]

async function readSource(ctx: Context, found: SourceRow, run: JobRun): Promise<void> {
  const sourceId = found.id
  try {
    await ingest(ctx, found, run)
  } catch (error) {
    if (run.signal.aborted) throw error
    if (isFault(error, commonFaults.record_not_found)) {
      if (!(await isBeingRead(ctx.db.read, sourceId))) return
      // Another run took over while this one stalled: that run sets the source's status.
      throw error
    }
    const problem = problemOf(error)
    ctx.log.warn({ err: error, sourceId, attempt: run.attempt }, 'a source could not be read')
    if ((problem === null || problem.isPassing) && run.attempt < maxTries) {
      const waiting = { status: 'queued', stage: 'retrying', updated_at: ctx.clock.now() }
      const change = { ...waiting, ...errorColumns(problem ?? unforeseen) }
      await ctx.db.write((tx) => updateSource(tx, sourceId, change))
      throw error
    }
    const ended = { problem: problem ?? unforeseen, embedder: null }
    await ctx.db.write((tx) => endIngestion(tx, ctx, found, ended))
    await sweep(ctx, sourceId)
  }
}

async function ingest(ctx: Context, found: SourceRow, run: JobRun): Promise<void> {
  // When the process dies with its worker, only the number of attempts shows it.
  if (run.attempt > maxTries) throw new Fault({ code: 'interrupted', kind: 'unavailable' })
  const now = ctx.clock.now()
  const isNewRound = run.attempt === 1 || found.round_started_at === null
  const begun = { status: 'processing', stage: 'reading', progress: 0, updated_at: now }
  const round = isNewRound ? { round_started_at: now } : {}
  const source = await ctx.db.write((tx) => updateSource(tx, found.id, { ...begun, ...round }))
  if (source === undefined) return
  await sweep(ctx, source.id)
  const isText = source.kind === 'text'
  const worker = isText ? textReader : ctx.workers.open(workerModule, workerLimits)
  const ingestion: Ingestion = { ctx, source, worker, signal: run.signal, resumes: !isNewRound }
  try {
    const problem = await (source.crawl_json === null ? ingestFile : ingestPages)(ingestion)
    const embedder = await embedderOf(ctx, source.workspace_id)
    await ctx.db.write((tx) => endIngestion(tx, ctx, source, { problem, embedder }))
    await sweep(ctx, source.id)
  } finally {
    worker.close()
  }
}

/** Deletes documents that an earlier run left unfinished, and those that were replaced. */
async function sweep({ db }: Pick<Context, 'db'>, sourceId: string): Promise<void> {
  const documents = await listDocumentRows(db.read, sourceId)
  for (const { id } of documents.filter(({ status }) => status !== 'ready'))
    await db.write((tx) => clearDocument(tx, db, id))
}

/** A step: stores the result and schedules the next reading, unless the source was deleted. */
async function endIngestion(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'jobs'>,
  { id, last_indexed_at }: SourceRow,
  { problem, embedder }: { readonly problem: SourceError | null; embedder: Embedder | null },
): Promise<void> {
  if (!(await isBeingRead(tx, id))) return
  const now = ctx.clock.now()
  const { documents } = await sumDocuments(tx, id)
  const row = await finishSource(tx, now, id, {
    status: problem === null ? 'ready' : documents > 0 ? 'partial' : 'failed',
    ...errorColumns(problem),
    last_indexed_at: problem === null ? now : last_indexed_at,
  })
  const { refreshEvery } = sourceFromRow(row)
  const next = refreshEvery === null ? null : now + intervalMs[refreshEvery]
  await updateSource(tx, id, { next_refresh_at: next })
  if (next !== null) await enqueueIngestion(ctx, tx, row, next)
  await awaitEmbedding(tx, ctx, row, embedder)
}

function errorColumns(problem: SourceError | null) {
  return {
    error_code: problem?.code ?? null,
    error_facts_json:
      problem === null ? null : JSON.stringify({ ...problem.facts, pages: problem.pages }),
  }
}

const unforeseen: SourceError = { code: 'reading_failed', facts: {} }

interface Problem extends SourceError {
  /** Another attempt may succeed. */
  readonly isPassing: boolean
}

/** Null for an unexpected error. */
function problemOf(error: unknown): Problem | null {
  if (!(error instanceof Fault)) return null
  // A parser that crashed on this document would crash again.
  if (error.code === 'worker_crashed') return { ...unforeseen, isPassing: false }
  if (error.kind === 'internal') return null
  const isPassing = error.kind === 'unavailable'
  return { code: error.code, facts: plainFacts(error.facts), isPassing }
}
