import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** Stores the progress of embedding a source, unless a new reading has begun. */
export async function reportEmbedding(
  tx: Tx,
  sourceId: string,
  change: { readonly progress: number; readonly tokens: number; readonly now: number },
): Promise<void> {
  await tx
    .updateTable('knowledge_sources')
    .set((e) => ({
      embedded_token_count: e('embedded_token_count', '+', change.tokens),
      stage: sql<string>`coalesce(stage, 'embedding')`,
      progress: sql<number>`case when stage is null or stage = 'embedding' then cast(${change.progress} as bigint) else progress end`,
      updated_at: change.now,
    }))
    .where('id', '=', sourceId)
    .execute()
}

/** The space has every chunk of the source: its status is now the result of its reading. */
export async function endEmbedding(
  tx: Tx,
  now: number,
  sourceId: string,
  spaceId: number | null,
): Promise<void> {
  const isOwn = sql`error_code = 'embedding_failed'`
  const embeds = sql`stage = 'embedding'`
  await tx
    .updateTable('knowledge_sources')
    .set({
      vector_space_id: spaceId,
      status: sql<string>`case
        when (${embeds} or stage is null and ${isOwn}) and (error_code is null or ${isOwn}) then 'ready'
        when ${embeds} and status = 'processing' then 'partial'
        else status end`,
      error_code: sql<string | null>`case when ${isOwn} then null else error_code end`,
      error_facts_json: sql<string | null>`case when ${isOwn} then null else error_facts_json end`,
      progress: sql<number>`case when ${embeds} then 100 else progress end`,
      stage: sql<string | null>`case when ${embeds} then null else stage end`,
      updated_at: now,
    })
    .where('id', '=', sourceId)
    .execute()
}

/** The sources of an agent that wait for vectors end without them. Full text still finds them. */
export async function failEmbedding(
  tx: Tx,
  now: number,
  agentId: string,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  await tx
    .updateTable('knowledge_sources')
    .set({
      status: sql<string>`case when status = 'processing' then 'partial' else status end`,
      error_code: sql<string>`coalesce(error_code, 'embedding_failed')`,
      error_facts_json: sql<
        string | null
      >`case when error_code is null then ${JSON.stringify(facts)} else error_facts_json end`,
      stage: null,
      progress: 100,
      updated_at: now,
    })
    .where('agent_id', '=', agentId)
    .where('stage', '=', 'embedding')
    .execute()
}
