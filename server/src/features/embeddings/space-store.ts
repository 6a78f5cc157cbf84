import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type SpaceRow = Selectable<Schema['knowledge_vector_spaces']>

export function findServingSpace(reader: Reader, agentId: string): Promise<SpaceRow | undefined> {
  return reader
    .selectFrom('knowledge_vector_spaces')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('status', '=', 'serving')
    .executeTakeFirst()
}

/** The space of a model, building or serving. */
export function findSpace(
  reader: Reader,
  agentId: string,
  model: string,
): Promise<SpaceRow | undefined> {
  return reader
    .selectFrom('knowledge_vector_spaces')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('model', '=', model)
    .where('status', '<>', 'retired')
    .executeTakeFirst()
}

/**
 * The space of a model, created if there is none with these dimensions. An agent's first space serves
 * at once: some vectors are better than none.
 */
export async function takeSpace(
  tx: Tx,
  now: number,
  of: { readonly agentId: string; readonly model: string; readonly dimensions: number },
): Promise<SpaceRow> {
  const { agentId, model, dimensions } = of
  const found = await findSpace(tx, agentId, model)
  if (found?.dimensions === dimensions) return found
  // Another model behind the same name: its vectors cannot be compared with the stored ones.
  if (found !== undefined) await setSpaceStatus(tx, now, found.id, 'retired')
  const serving = await findServingSpace(tx, agentId)
  return await tx
    .insertInto('knowledge_vector_spaces')
    .values({
      agent_id: agentId,
      model,
      dimensions,
      status: serving === undefined ? 'serving' : 'building',
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function setSpaceStatus(
  tx: Tx,
  now: number,
  spaceId: number,
  status: 'serving' | 'retired',
): Promise<void> {
  await tx
    .updateTable('knowledge_vector_spaces')
    .set({ status, updated_at: now })
    .where('id', '=', spaceId)
    .execute()
}

export function listOtherSpaces(
  reader: Reader,
  agentId: string,
  spaceId: number,
): Promise<SpaceRow[]> {
  return reader
    .selectFrom('knowledge_vector_spaces')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('id', '<>', spaceId)
    .execute()
}

export async function deleteSpace(tx: Tx, spaceId: number): Promise<void> {
  await tx.deleteFrom('knowledge_vector_spaces').where('id', '=', spaceId).execute()
}

/** Sources with chunks that are not in the space (-1: not created yet), oldest first. */
export function listUnembedded(reader: Reader, agentId: string, spaceId: number, limit?: number) {
  const query = reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('chunk_count', '>', 0)
    .where((e) => e(e.fn.coalesce('vector_space_id', e.lit(-2)), '<>', spaceId))
    .orderBy('id')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

interface ChunkRange {
  readonly sourceId: string
  readonly spaceId: number
  /** Exclusive. */
  readonly after: number
  /** Inclusive; null for no limit. */
  readonly last: number | null
}

export type ChunkToEmbed = Awaited<ReturnType<typeof listChunksToEmbed>>[number]

/** Chunks of ready documents of a source that are not in the space, in the order of their ids. */
export function listChunksToEmbed(
  reader: Reader,
  { sourceId, spaceId, after, last }: ChunkRange,
  limit: number,
) {
  const query = reader
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
    .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
    .select(['chunk.id', 'chunk.source_id', 'chunk.heading', 'chunk.text'])
    .select((e) => e.fn.coalesce('document.title', 'source.title').as('title'))
    .where('chunk.source_id', '=', sourceId)
    .where('document.status', '=', 'ready')
    .where('chunk.id', '>', after)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('knowledge_vectors as vector')
            .select('vector.chunk_id')
            .where('vector.space_id', '=', spaceId)
            .whereRef('vector.chunk_id', '=', 'chunk.id'),
        ),
      ),
    )
    .orderBy('chunk.id')
    .limit(limit)
  return (last === null ? query : query.where('chunk.id', '<=', last)).execute()
}

export async function countEmbedded(
  reader: Reader,
  sourceId: string,
  spaceId: number,
): Promise<number> {
  const { count } = await reader
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_vectors as vector', 'vector.chunk_id', 'chunk.id')
    .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
    .where('chunk.source_id', '=', sourceId)
    .where('vector.space_id', '=', spaceId)
    .where('document.status', '=', 'ready')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Agents with sources that the model has not embedded. */
export async function listAgentsToEmbed(reader: Reader, model: string) {
  return await reader
    .selectFrom('knowledge_sources as source')
    .innerJoin('agents as agent', 'agent.id', 'source.agent_id')
    .leftJoin('knowledge_vector_spaces as space', (join) =>
      join
        .onRef('space.agent_id', '=', 'source.agent_id')
        .on('space.model', '=', model)
        .on('space.status', '<>', 'retired'),
    )
    .where('agent.deleted_at', 'is', null)
    .where('source.chunk_count', '>', 0)
    .where((e) =>
      e(
        e.fn.coalesce('source.vector_space_id', e.lit(-2)),
        '<>',
        e.fn.coalesce('space.id', e.lit(-1)),
      ),
    )
    .select(['source.agent_id as agentId', 'source.workspace_id as workspaceId'])
    .distinct()
    .execute()
}
