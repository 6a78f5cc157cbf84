import type { Insertable, Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type {
  KnowledgeChunksTable,
  KnowledgeCollectionsTable,
  KnowledgeSourcesTable,
} from '#platform/db/schema.ts'

export type SourceRow = Selectable<KnowledgeSourcesTable>
export type CollectionRow = Selectable<KnowledgeCollectionsTable>
export type NewChunkRow = Insertable<KnowledgeChunksTable>

/** Sources of live agents: those of a deleted one are out of everybody's sight. */
function liveSources(reader: Reader) {
  return reader
    .selectFrom('knowledge_sources as source')
    .innerJoin('agents as agent', 'agent.id', 'source.agent_id')
    .where('agent.deleted_at', 'is', null)
}

export function findSource(
  reader: Reader,
  workspaceId: string,
  sourceId: string,
): Promise<SourceRow | undefined> {
  return liveSources(reader)
    .selectAll('source')
    .where('source.id', '=', sourceId)
    .where('source.workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

/** Which workspace a source is in: asked before it is known where the caller may look. */
export async function findSourceWorkspace(
  reader: Reader,
  sourceId: string,
): Promise<string | undefined> {
  const row = await liveSources(reader)
    .select('source.workspace_id')
    .where('source.id', '=', sourceId)
    .executeTakeFirst()
  return row?.workspace_id
}

/** Newest first: ids are in order of time. The agent must have been found in the workspace first. */
export function listSourceRows(
  reader: Reader,
  agentId: string,
  page: { limit: number; before: string | undefined },
): Promise<SourceRow[]> {
  let query = reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}

export async function countSources(reader: Reader, agentId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('knowledge_sources')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Sources that searches find something of, those included whose first reading is still under way;
 * counts no further than asked.
 */
export async function countSearchedSources(
  reader: Reader,
  agentId: string,
  atMost: number,
): Promise<number> {
  const rows = await reader
    .selectFrom('knowledge_sources as source')
    .select('source.id')
    .where('source.agent_id', '=', agentId)
    .where((e) =>
      e.exists(
        e
          .selectFrom('knowledge_documents as document')
          .select('document.id')
          .whereRef('document.source_id', '=', 'source.id')
          .where('document.status', '=', 'ready'),
      ),
    )
    .limit(atMost)
    .execute()
  return rows.length
}

export async function insertSource(tx: Tx, row: SourceRow): Promise<void> {
  await tx.insertInto('knowledge_sources').values(row).execute()
}

/** Of any workspace: for the job that reads it. */
export function findSourceById(reader: Reader, sourceId: string): Promise<SourceRow | undefined> {
  return liveSources(reader)
    .selectAll('source')
    .where('source.id', '=', sourceId)
    .executeTakeFirst()
}

/** False of one that is gone, and of one that is being deleted in parts, which is `failed`. */
export async function isBeingRead(reader: Reader, sourceId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('knowledge_sources')
    .select('id')
    .where('id', '=', sourceId)
    .where('status', '<>', 'failed')
    .executeTakeFirst()
  return row !== undefined
}

/** Another source of the agent with the same file that did not fail. */
export function findTwin(
  reader: Reader,
  { id, agent_id, filename, sha256 }: SourceRow,
): Promise<SourceRow | undefined> {
  return reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('agent_id', '=', agent_id)
    .where('id', '<>', id)
    .where('filename', '=', filename)
    .where('sha256', '=', sha256)
    .where('status', '<>', 'failed')
    .executeTakeFirst()
}

/** What a reading may change of its source. */
export type SourceChange = Partial<Omit<SourceRow, 'id' | 'workspace_id' | 'agent_id' | 'kind'>>

/** @returns the row as it is now; undefined when it is gone */
export function updateSource(
  tx: Tx,
  sourceId: string,
  change: SourceChange,
): Promise<SourceRow | undefined> {
  return tx
    .updateTable('knowledge_sources')
    .set(change)
    .where('id', '=', sourceId)
    .returningAll()
    .executeTakeFirst()
}

/** Sources whose storing began but has gone silent since: its process has died. */
export function findStaleSources(reader: Reader, before: number): Promise<SourceRow[]> {
  return reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('status', '=', 'processing')
    .where('stage', '=', 'storing')
    .where('updated_at', '<', before)
    .execute()
}

export async function deleteSourceRow(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_sources').where('id', '=', sourceId).execute()
}

/** @returns the ids given, in the order of the rows */
export async function insertChunks(tx: Tx, rows: readonly NewChunkRow[]): Promise<number[]> {
  const idOf = new Map<number, number>()
  for (const slice of slicesOf(rows)) {
    const given = await tx
      .insertInto('knowledge_chunks')
      .values([...slice])
      .returning(['id', 'ordinal'])
      .execute()
    for (const { id, ordinal } of given) idOf.set(ordinal, id)
  }
  return rows.map(({ ordinal }) => {
    const id = idOf.get(ordinal)
    if (id === undefined) throw new Error('The database gave no id for a chunk')
    return id
  })
}

/**
 * Slices of power-of-two lengths: one statement for every number of rows would evict the others
 * from the engines' statement caches.
 */
function slicesOf<Row>(rows: readonly Row[]): Row[][] {
  const slices: Row[][] = []
  for (let at = 0, length = 64; at < rows.length; at += length) {
    while (length > rows.length - at) length /= 2
    slices.push(rows.slice(at, at + length))
  }
  return slices
}

export async function deleteChunks(
  tx: Tx,
  of: 'source_id' | 'document_id',
  id: string,
): Promise<void> {
  await tx.deleteFrom('knowledge_chunks').where(of, '=', id).execute()
}

/** The passages of a document in their order. */
export function listChunkTexts(reader: Reader, documentId: string) {
  return reader
    .selectFrom('knowledge_chunks')
    .select(['heading', 'text'])
    .where('document_id', '=', documentId)
    .orderBy('ordinal')
    .execute()
}

export type ChunkToIndex = Awaited<ReturnType<typeof listChunksAfter>>[number]

/**
 * Chunks of all agents in the order of their ids. Of a document that is not ready they are left out:
 * its title is not known yet.
 */
export function listChunksAfter(reader: Reader, id: number, limit: number) {
  return reader
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
    .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
    .select(['chunk.id', 'chunk.document_id', 'chunk.agent_id', 'chunk.ordinal'])
    .select(['chunk.heading', 'chunk.text'])
    .select((e) => e.fn.coalesce('document.title', 'source.title').as('title'))
    .where('chunk.id', '>', id)
    .where('document.status', '=', 'ready')
    .orderBy('chunk.id')
    .limit(limit)
    .execute()
}

export function findCollection(
  reader: Reader,
  agentId: string,
): Promise<CollectionRow | undefined> {
  return reader
    .selectFrom('knowledge_collections')
    .selectAll()
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

/** The agent's collection, made when it has none. */
export async function takeCollection(tx: Tx, agentId: string): Promise<CollectionRow> {
  const found = await findCollection(tx, agentId)
  if (found !== undefined) return found
  return await tx
    .insertInto('knowledge_collections')
    .values({ agent_id: agentId, chunk_count: 0, term_count: 0 })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Adds to the counts of a collection; negative numbers when a source goes. */
export async function growCollection(
  tx: Tx,
  agentId: string,
  by: { readonly chunks: number; readonly terms: number },
): Promise<void> {
  await tx
    .updateTable('knowledge_collections')
    .set((e) => ({
      chunk_count: e('chunk_count', '+', by.chunks),
      term_count: e('term_count', '+', by.terms),
    }))
    .where('agent_id', '=', agentId)
    .execute()
}

/** Chunks with what a citation says of their source, in no order; those deleted are missing. */
export async function findPassages(reader: Reader, chunkIds: readonly number[]) {
  const found = slicesOf(chunkIds).map((ids) =>
    reader
      .selectFrom('knowledge_chunks as chunk')
      .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
      .innerJoin('knowledge_documents as document', 'document.id', 'chunk.document_id')
      .where('chunk.id', 'in', ids)
      .select(['chunk.id', 'chunk.source_id', 'chunk.page', 'chunk.heading', 'chunk.text'])
      .select((e) => [
        e.fn.coalesce('document.title', 'source.title').as('title'),
        e.fn.coalesce('document.url', 'source.url').as('url'),
      ])
      .execute(),
  )
  return (await Promise.all(found)).flat()
}
