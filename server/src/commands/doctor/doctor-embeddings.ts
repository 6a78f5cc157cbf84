import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Config } from '#config'
import { environmentAccess } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { loadVectorFunctions } from '#platform/db/sqlite/sqlite-vectors.ts'
import type { Finding } from './doctor-finding.ts'

const check = 'embeddings'

/** Whether searches match by meaning, and if not, why. A missing model is not a failure. */
export async function checkEmbeddings(config: Config): Promise<readonly Finding[]> {
  const { embeddingModel: model } = config
  if (model === undefined) return [{ check, ok: true, note: 'no EMBEDDING_MODEL: full text only' }]
  const provider = parseModelId(config, model)?.provider ?? ''
  if (environmentAccess(config, provider) === null) {
    const fix = `configure ${provider}, or let each workspace set its own key`
    return [{ check, ok: false, note: `${model}: ${provider} is not configured`, fix }]
  }
  const reason = config.databaseUrl === undefined ? onSqlite() : await onPostgres(config)
  if (reason === unknown) return []
  if (reason === null) return [{ check, ok: true, note: model }]
  const fix =
    config.databaseUrl === undefined
      ? 'run Parley on a platform that sqlite-vec supports, or on PostgreSQL with pgvector'
      : 'let an administrator run `create extension vector` in this database, then restart'
  return [{ check, ok: false, note: `full text only: ${reason}`, fix }]
}

/** In memory: the result depends on the platform, not on the database. */
function onSqlite(): string | null {
  const raw = new DatabaseSync(':memory:', { allowExtension: true })
  try {
    return loadVectorFunctions(raw)
  } finally {
    raw.close()
  }
}

/** The database does not respond, which its own check reports. */
const unknown = Symbol('unknown')

async function onPostgres({ databaseUrl }: Config): Promise<string | null | typeof unknown> {
  const client = new Client({ connectionString: databaseUrl })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ here: boolean; offered: boolean }>(`
      select to_regtype('vector') is not null as here,
        exists (select from pg_available_extensions where name = 'vector') as offered`)
    if (rows[0]?.here) return null
    return rows[0]?.offered ? 'pgvector is not enabled' : 'the server has no pgvector'
  } catch {
    return unknown
  } finally {
    await client.end()
  }
}
