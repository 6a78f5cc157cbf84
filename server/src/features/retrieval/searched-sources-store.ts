import type { Reader } from '#platform/db/database.ts'

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
