import { setTimeout as sleep } from 'node:timers/promises'
import { lastChunkId } from '#features/full-text/index.ts'
import { endEmbedding, failEmbedding, type SourceRow } from '#features/knowledge/index.ts'
import { Fault } from '#kernel/fault.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { chunksPerBatch, embedBatch, type Batch } from './embed-batch.ts'
import { embedderOf, type Embedder } from './embed-texts.ts'
import { embedTicket } from './embed-ticket.ts'
import {
  countEmbedded,
  deleteSpace,
  findSpace,
  listChunksToEmbed,
  listOtherSpaces,
  listUnembedded,
  setSpaceStatus,
  type ChunkToEmbed,
} from './space-store.ts'
import { sweepEmbeddings } from './sweep-embeddings.ts'
import { packVectors } from './vectors/vector-blocks.ts'
import { vectorIndex } from './vectors/vector-index.ts'

/** Runs, including those ended by a crash, before a job gives up. The sweep starts a new one. */
const maxTries = 6
const maxWaitMs = 60_000

/**
 * Embeds the chunks of an agent that the configured model has not embedded. Each batch is stored
 * before the next is requested, so an interrupted run can be resumed. Vectors of another model serve
 * searches until all of this model's are stored.
 */
export const embedKnowledge = defineJob({
  ...embedTicket,
  // The job itself counts to `maxTries`, because giving up also changes the status of the sources.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAtOnce: 2,
  backoffMs: (attempt) => Math.min(5_000 * 4 ** (attempt - 1), 15 * 60_000),
  async run(ctx: Context, agent, run) {
    const embedder = await embedderOf(ctx, agent.workspaceId)
    if (embedder === null) return await release(ctx, agent.agentId)
    try {
      const isWhole = await new AgentEmbedding(ctx, embedder, agent, run.signal).run()
      if (!isWhole) return { runAgainAt: ctx.clock.now() }
    } catch (error) {
      if (run.signal.aborted || !(error instanceof Fault)) throw error
      const { facts, kind } = error
      ctx.log.warn({ err: error, ...agent, model: embedder.id, ...facts }, 'embedding failed')
      if (kind === 'unavailable' && run.attempt < maxTries) throw error
      const reason = typeof facts.reason === 'string' ? facts.reason : error.code
      const shown = { reason, model: embedder.id }
      await ctx.db.write((tx) => failEmbedding(tx, ctx.clock.now(), agent.agentId, shown))
    }
  },
})

/** No embedding model can be reached any more: sources that wait for vectors end without them. */
async function release({ db, clock }: Context, agentId: string): Promise<void> {
  for (const source of await listUnembedded(db.read, agentId, -1))
    if (source.stage === 'embedding')
      await db.write((tx) => endEmbedding(tx, clock.now(), source.id, null))
}

class AgentEmbedding {
  private readonly ctx: Context
  private readonly embedder: Embedder
  private readonly agent: Pick<Batch, 'agentId' | 'workspaceId'>
  private readonly signal: AbortSignal
  /** -1 until a space exists. */
  private spaceId = -1
  /** The last chunk of this run: those that are added meanwhile are left to the next. */
  private lastChunk = 0
  /** By source: the last chunk that was listed. */
  private readonly walked = new Map<string, number>()
  /** By source: how many chunks are embedded. */
  private readonly done = new Map<string, number>()

  constructor(
    ctx: Context,
    embedder: Embedder,
    agent: AgentEmbedding['agent'],
    signal: AbortSignal,
  ) {
    this.ctx = ctx
    this.embedder = embedder
    this.agent = agent
    this.signal = signal
  }

  /** @returns false when chunks were added meanwhile that the next run has to embed */
  async run(): Promise<boolean> {
    const { db } = this.ctx
    const { agentId } = this.agent
    const space = await findSpace(db.read, agentId, this.embedder.id)
    this.spaceId = space?.id ?? -1
    this.lastChunk = await lastChunkId(db.read)
    let sources: readonly SourceRow[] = await listUnembedded(db.read, agentId, this.spaceId)
    while (sources.length > 0) {
      this.signal.throwIfAborted()
      const chunks = await this.nextChunks(sources)
      if (chunks.length > 0) await this.embed(sources, chunks)
      sources = await this.endWhole(sources)
    }
    if (this.spaceId !== -1) await this.serve()
    return (await listUnembedded(db.read, agentId, this.spaceId, 1)).length === 0
  }

  /** Chunks of the first sources, until they fill a batch. */
  private async nextChunks(sources: readonly SourceRow[]): Promise<ChunkToEmbed[]> {
    const chunks: ChunkToEmbed[] = []
    for (const { id: sourceId } of sources) {
      const wanted = chunksPerBatch - chunks.length
      chunks.push(...(await listChunksToEmbed(this.ctx.db.read, this.range(sourceId), wanted)))
      if (chunks.length >= chunksPerBatch) break
    }
    return chunks
  }

  /** The chunks of a source that this run has not listed yet. */
  private range(sourceId: string) {
    const after = this.walked.get(sourceId) ?? 0
    return { sourceId, spaceId: this.spaceId, after, last: this.lastChunk }
  }

  private async embed(sources: readonly SourceRow[], chunks: readonly ChunkToEmbed[]) {
    const progress = new Map<string, number>()
    for (const [sourceId, own] of Map.groupBy(chunks, ({ source_id }) => source_id)) {
      const total = sources.find(({ id }) => id === sourceId)?.chunk_count ?? 0
      const before =
        this.done.get(sourceId) ?? (await countEmbedded(this.ctx.db.read, sourceId, this.spaceId))
      this.done.set(sourceId, before + own.length)
      progress.set(sourceId, Math.min(99, Math.floor((100 * (before + own.length)) / total)))
    }
    const space = await this.patiently(() =>
      embedBatch(this.ctx, this.embedder, { ...this.agent, chunks, progress }, this.signal),
    )
    // A new space has none of the chunks that were listed before.
    if (space.id !== this.spaceId) this.walked.clear()
    for (const { source_id, id } of chunks) this.walked.set(source_id, id)
    this.spaceId = space.id
    await packVectors(this.ctx, space.id, this.signal)
  }

  /** Retries once, after the pause that the provider asks for. */
  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      const seconds = error instanceof Fault ? error.facts.retry_after_seconds : undefined
      if (typeof seconds !== 'number' || seconds * 1000 > maxWaitMs) throw error
      await sleep(seconds * 1000, undefined, { signal: this.signal })
      return await ask()
    }
  }

  /**
   * Ends the sources whose chunks the space has. Checked within the unit: a reading may have
   * published chunks meanwhile.
   *
   * @returns the sources that this run is not done with
   */
  private async endWhole(sources: readonly SourceRow[]): Promise<readonly SourceRow[]> {
    const { db, clock } = this.ctx
    for (const [at, { id: sourceId }] of sources.entries()) {
      const range = this.range(sourceId)
      if ((await listChunksToEmbed(db.read, range, 1)).length > 0) return sources.slice(at)
      const missing = await db.write(async (tx) => {
        const [first] = await listChunksToEmbed(tx, { ...range, after: 0, last: null }, 1)
        if (first === undefined) await endEmbedding(tx, clock.now(), sourceId, this.spaceId)
        return first?.id ?? null
      })
      // A reading has published chunks with lower ids: list those of the source again.
      if (missing !== null && missing <= this.lastChunk) {
        this.walked.delete(sourceId)
        return sources.slice(at)
      }
    }
    return []
  }

  /** Once the space has every chunk, searches use it and the other spaces are deleted. */
  private async serve(): Promise<void> {
    const { db, clock } = this.ctx
    const { agentId } = this.agent
    await db.write(async (tx) => {
      const now = clock.now()
      if ((await listUnembedded(tx, agentId, this.spaceId, 1)).length > 0) return
      for (const { id } of await listOtherSpaces(tx, agentId, this.spaceId))
        await setSpaceStatus(tx, now, id, 'retired')
      await setSpaceStatus(tx, now, this.spaceId, 'serving')
    })
    for (const { id, status } of await listOtherSpaces(db.read, agentId, this.spaceId))
      if (status === 'retired') await this.clear(id)
  }

  private async clear(spaceId: number): Promise<void> {
    const { db } = this.ctx
    while (await db.write((tx) => vectorIndex(db).deleteSome(tx, spaceId)))
      this.signal.throwIfAborted()
    await db.write((tx) => deleteSpace(tx, spaceId))
  }
}

export const embeddingJobs = [embedKnowledge, sweepEmbeddings]
