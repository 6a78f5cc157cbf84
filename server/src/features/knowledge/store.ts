import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type SourceRow = Selectable<Schema['knowledge_sources']>

export async function countSources(reader: Reader, agentId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('knowledge_sources')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertSource(tx: Tx, row: SourceRow): Promise<void> {
  await tx.insertInto('knowledge_sources').values(row).execute()
}

/** False for a deleted source, and for one that is being deleted in parts, which is `failed`. */
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

export type SourceChange = Partial<Omit<SourceRow, 'id' | 'workspace_id' | 'agent_id' | 'kind'>>

/** @returns the changed row; undefined when it was deleted */
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

/** Changes how many chunks of a source searches find. */
export async function addSourceChunks(
  tx: Tx,
  sourceId: string,
  count: number,
): Promise<SourceRow | undefined> {
  return await tx
    .updateTable('knowledge_sources')
    .set((e) => ({ chunk_count: e('chunk_count', '+', count) }))
    .where('id', '=', sourceId)
    .returningAll()
    .executeTakeFirst()
}

/** Sources whose storing stopped without an end: the process has died. */
export function findStaleSources(reader: Reader, before: number): Promise<SourceRow[]> {
  return reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('status', '=', 'processing')
    .where('stage', '=', 'storing')
    .where('updated_at', '<', before)
    .execute()
}

/**
 * A step: deletes those of the sources whose agent is deleted or was never shown.
 *
 * @returns their ids
 */
export async function deleteHiddenSources(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('knowledge_sources')
    .where('id', 'in', ids)
    .where((e) =>
      e.exists(
        e
          .selectFrom('agents')
          .select('agents.id')
          .whereRef('agents.id', '=', 'knowledge_sources.agent_id')
          .where('agents.deleted_at', 'is not', null),
      ),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteSourceRow(tx: Tx, sourceId: string): Promise<void> {
  await tx.deleteFrom('knowledge_sources').where('id', '=', sourceId).execute()
}
