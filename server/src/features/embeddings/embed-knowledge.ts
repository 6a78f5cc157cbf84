import { setTimeout as sleep } from 'node:timers/promises'
import { endEmbedding, failEmbedding, type SourceRow } from '#features/knowledge/index.ts'
import { Fault } from '#kernel/fault.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { chunksPerBatch, embedBatch } from './embed-batch.ts'
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
import { vectorIndex } from './vectors/vector-index.ts'

/** Runs, including those cut off by a crash, before a job gives up; the sweep starts a new one. */
const maxTries = 6
const maxWaitMs = 60_000

/**
 * Embeds what an agent knows, as far as the configured model has not: a batch at a time, each stored
 * before the next is asked for, so that a run that was cut off goes on where it was. Vectors of
 * another model serve until those of this one are whole.
 */
export const embedKnowledge = defineJob({
  ...embedTicket,
  // The job gives up by itself after `maxTries`, because that must also change the status of the
  // sources.
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAtOnce: 2,
  backoffMs: (attempt) => Math.min(5_000 * 4 ** (attempt - 1), 15 * 60_000),
  async run(ctx: Context, agent, run) {
    const embedder = await embedderOf(ctx, agent.workspaceId)
    if (embedder === null) return await release(ctx, agent.agentId)
    try {
      await new AgentEmbedding(ctx, embedder, agent, run.signal).run()
    } catch (error) {
      if (run.signal.aborted || !(error instanceof Fault)) throw error
      const { facts, kind } = error
      ctx.log.warn({ err: error, ...agent, model: embedder.id, ...facts }, 'embedding failed')
      if (kind === 'unavailable' && run.attempt < maxTries) throw error
      const told = { reason: String(facts.reason ?? error.code), model: embedder.id }
      await ctx.db.write((tx) => failEmbedding(tx, ctx.clock.now(), agent.agentId, told))
    }
  },
})

/** No embedding model can be reached any more: sources waiting for vectors end without them. */
async function release({ db, clock }: Context, agentId: string): Promise<void> {
  for (const source of await listUnembedded(db.read, agentId, -1, Number.MAX_SAFE_INTEGER))
    if (source.stage === 'embedding')
      await db.write((tx) => endEmbedding(tx, clock.now(), source.id, null))
}

class AgentEmbedding {
  private readonly ctx: Context
  private readonly embedder: Embedder
  private readonly agent: { readonly agentId: string; readonly workspaceId: string }
  private readonly signal: AbortSignal
  /** -1 until there is one. */
  private spaceId = -1
  /** By source: the last chunk that was looked at. */
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

  async run(): Promise<void> {
    const { db } = this.ctx
    const space = await findSpace(db.read, this.agent.agentId, this.embedder.id)
    this.spaceId = space?.id ?? -1
    for (;;) {
      this.signal.throwIfAborted()
      const sources = await this.unembedded()
      if (sources.length === 0) break
      const chunks = await this.nextChunks(sources)
      if (chunks.length > 0) await this.embed(sources, chunks)
      await this.endWhole(sources)
    }
    if (this.spaceId !== -1) await this.serve()
  }

  private unembedded(): Promise<SourceRow[]> {
    return listUnembedded(this.ctx.db.read, this.agent.agentId, this.spaceId, chunksPerBatch)
  }

  /** Chunks of the first sources, until they fill a batch. */
  private async nextChunks(sources: readonly SourceRow[]): Promise<ChunkToEmbed[]> {
    const chunks: ChunkToEmbed[] = []
    for (const { id: sourceId } of sources) {
      const after = this.walked.get(sourceId) ?? 0
      const of = { sourceId, spaceId: this.spaceId, after }
      chunks.push(
        ...(await listChunksToEmbed(this.ctx.db.read, of, chunksPerBatch - chunks.length)),
      )
      if (chunks.length >= chunksPerBatch) break
    }
    return chunks
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
    // A space that is new holds nothing of what was walked before.
    if (space.id !== this.spaceId) this.walked.clear()
    for (const { source_id, id } of chunks) this.walked.set(source_id, id)
    this.spaceId = space.id
  }

  /** Waits once, where the provider says when to ask again, and then asks again. */
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

  /** Ends those sources that the space holds now, asked within the unit: chunks may have come. */
  private async endWhole(sources: readonly SourceRow[]): Promise<void> {
    const { db, clock } = this.ctx
    for (const { id: sourceId } of sources) {
      const of = { sourceId, spaceId: this.spaceId, after: this.walked.get(sourceId) ?? 0 }
      if ((await listChunksToEmbed(db.read, of, 1)).length > 0) return
      const isWhole = await db.write(async (tx) => {
        const [missing] = await listChunksToEmbed(tx, { ...of, after: 0 }, 1)
        if (missing === undefined) await endEmbedding(tx, clock.now(), sourceId, this.spaceId)
        return missing === undefined
      })
      // A reading published meanwhile may have added chunks with lower ids: walk the source again.
      if (!isWhole) this.walked.delete(sourceId)
    }
  }

  /** The space is whole: searches use it from here on, and no other is kept. */
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
    const some = 500
    let deleted = some
    while (deleted === some) {
      this.signal.throwIfAborted()
      deleted = await db.write((tx) => vectorIndex(db).deleteSome(tx, spaceId, some))
    }
    await db.write((tx) => deleteSpace(tx, spaceId))
  }
}
