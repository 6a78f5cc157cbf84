import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { enqueueEmbedding } from './embed-ticket.ts'
import { listAgentsToEmbed } from './space-store.ts'
import { tendVectorIndexes } from './vectors/postgres-vector-indexes.ts'
import { tendBlocks } from './vectors/tend-blocks.ts'
import { vectorIndex } from './vectors/vector-index.ts'

const rowsPerUnit = 200

/**
 * Finds agents to embed that no job knows of: the model was changed, a key was set, a provider came
 * back, or the database was copied. Also tends the blocks and indexes of vectors. Runs at every start and at an interval.
 */
export const sweepEmbeddings = defineJob({
  kind: 'knowledge.sweep_embeddings',
  input: z.object({}),
  everyMs: 10 * 60 * 1000,
  async run(ctx: Context, _, { signal }) {
    const { db, config } = ctx
    if (config.embeddingModel === undefined) return
    const index = vectorIndex(db)
    if (!(await index.isAvailable(db.read))) return
    while (await db.write((tx) => index.repair(tx, rowsPerUnit))) continue
    await tendBlocks(ctx, signal)
    await tendVectorIndexes(ctx)
    for (const { agentId, workspaceId } of await listAgentsToEmbed(db.read, config.embeddingModel))
      await db.write((tx) =>
        enqueueEmbedding(ctx, tx, { agent_id: agentId, workspace_id: workspaceId }),
      )
  },
})
