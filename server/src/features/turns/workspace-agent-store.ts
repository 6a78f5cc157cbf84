import type { Reader } from '#platform/db/database.ts'

/** Whether an agent was given anything to know, ready or not. */
export async function hasSources(reader: Reader, agentId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('knowledge_sources')
    .select('id')
    .where('agent_id', '=', agentId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
