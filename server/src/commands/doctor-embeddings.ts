import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Config } from '#config'
import { environmentAccess, parseModelId } from '#features/providers/index.ts'
import { loadVectorFunctions } from '#platform/db/sqlite-vectors.ts'
import type { Finding } from './doctor-finding.ts'

const check = 'embeddings'

/** Whether knowledge is searched by meaning, and if not, why. Without a model that is nobody's fault. */
export async function checkEmbeddings(config: Config): Promise<readonly Finding[]> {
  const { embeddingModel: model } = config
  if (model === undefined) return [{ check, ok: true, note: 'no EMBEDDING_MODEL: full text alone' }]
  const provider = parseModelId(model)?.provider ?? ''
  if (environmentAccess(config, provider) === null) {
    const mend = `configure ${provider}, or let each workspace set its own key`
    return [{ check, ok: false, note: `${model}: ${provider} is not configured`, mend }]
  }
  const reason = config.databaseUrl === undefined ? onSqlite() : await onPostgres(config)
  if (reason === unknown) return []
  if (reason === null) return [{ check, ok: true, note: model }]
  const mend =
    config.databaseUrl === undefined
      ? 'run it on a platform that sqlite-vec is built for, or on PostgreSQL with pgvector'
      : 'have the owner of the server run `create extension vector` in this database, then restart'
  return [{ check, ok: false, note: `full text alone: ${reason}`, mend }]
}

/** Asked in memory: whether the platform has the extension does not rest on what is stored. */
function onSqlite(): string | null {
  const raw = new DatabaseSync(':memory:', { allowExtension: true })
  try {
    return loadVectorFunctions(raw)
  } finally {
    raw.close()
  }
}

/** The database does not answer: its own check tells. */
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
