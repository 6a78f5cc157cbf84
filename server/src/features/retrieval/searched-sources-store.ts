import { sql } from 'kysely'
import type { Reader } from '#platform/db/database.ts'

/** Counts the sources with documents that searches find, up to `atMost`. */
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

/** The ids of the agent's answers. */
export async function listAnswers(reader: Reader, agentId: string): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom('knowledge_sources')
    .select('id')
    .where('agent_id', '=', agentId)
    // A literal, so that both engines use the partial index.
    .where('is_answer', '=', sql.lit(1))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
