import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type SpaceRow = Selectable<Schema['knowledge_vector_spaces']>

/** The space that searches of an agent use. */
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
 * The space of a model, made when there is none of these dimensions. An agent's first one serves at
 * once: what it finds already is better than nothing.
 */
export async function takeSpace(
  tx: Tx,
  now: number,
  of: { readonly agentId: string; readonly model: string; readonly dimensions: number },
): Promise<SpaceRow> {
  const { agentId, model, dimensions } = of
  const found = await findSpace(tx, agentId, model)
  if (found?.dimensions === dimensions) return found
  // Another model behind the same name: its vectors cannot be compared with those that are there.
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

/** Spaces of an agent other than the one that is wanted. */
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

/** Sources with chunks that the space (-1: one that is not there yet) does not hold, oldest first. */
export function listUnembedded(reader: Reader, agentId: string, spaceId: number, limit: number) {
  return reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('chunk_count', '>', 0)
    .where((e) => e(e.fn.coalesce('vector_space_id', e.lit(-2)), '<>', spaceId))
    .orderBy('id')
    .limit(limit)
    .execute()
}

export type ChunkToEmbed = Awaited<ReturnType<typeof listChunksToEmbed>>[number]

/** Chunks of a source that searches find and that the space does not hold, in order, after an id. */
export function listChunksToEmbed(
  reader: Reader,
  of: { readonly sourceId: string; readonly spaceId: number; readonly after: number },
  limit: number,
) {
  return reader
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
    .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
    .select(['chunk.id', 'chunk.source_id', 'chunk.heading', 'chunk.text'])
    .select((e) => e.fn.coalesce('document.title', 'source.title').as('title'))
    .where('chunk.source_id', '=', of.sourceId)
    .where('document.status', '=', 'ready')
    .where('chunk.id', '>', of.after)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('knowledge_vectors as vector')
            .select('vector.chunk_id')
            .where('vector.space_id', '=', of.spaceId)
            .whereRef('vector.chunk_id', '=', 'chunk.id'),
        ),
      ),
    )
    .orderBy('chunk.id')
    .limit(limit)
    .execute()
}

/** How many chunks of a source the space holds. */
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

export async function existingChunks(reader: Reader, ids: readonly number[]): Promise<Set<number>> {
  const rows = await reader
    .selectFrom('knowledge_chunks')
    .select('id')
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Agents that know something which the model has not embedded. */
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
