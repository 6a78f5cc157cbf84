import type { Client } from 'pg'

/** The table that `enableVectors` creates: derived from `knowledge_vectors`, so copies omit it. */
export const vectorIndexTable = 'knowledge_vector_index'

/**
 * Prepares the server for vector search, if it has pgvector. Every migration does this, because the
 * extension may be installed later than the schema. If the extension is missing, or creating it is
 * not permitted, nothing changes and searches use full text alone.
 *
 * @returns why vectors are unavailable; null when they are available
 */
export async function enableVectors(client: Client): Promise<string | null> {
  const reason = await enableExtension(client)
  if (reason === null) await createIndexTable(client)
  return reason
}

async function enableExtension(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ here: boolean; offered: boolean }>(`
    select to_regtype('vector') is not null as here,
      exists (select from pg_available_extensions where name = 'vector') as offered`)
  if (rows[0]?.here) return null
  if (!rows[0]?.offered) return 'the server has no pgvector'
  try {
    await client.query('create extension vector')
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function createIndexTable(client: Client): Promise<void> {
  const { rows } = await client.query(`
    select 1
    where to_regclass('${vectorIndexTable}') is null and to_regclass('knowledge_vectors') is not null`)
  if (rows.length === 0) return
  // Keeps rows of up to 8 kB (2,000 dimensions) out of TOAST: a search reads them all.
  await client.query(`
    create table ${vectorIndexTable} (
      space_id bigint not null,
      chunk_id bigint not null references knowledge_chunks (id) on delete cascade,
      embedding vector not null,
      primary key (space_id, chunk_id)
    ) with (toast_tuple_target = 8160);
    create index ${vectorIndexTable}_by_chunk on ${vectorIndexTable} (chunk_id)`)
}
