import { DatabaseSync } from 'node:sqlite'
import { Client, type ClientConfig } from 'pg'
import { sqliteFile } from '#platform/db/open-database.ts'
import { copyTypes, postgresRows } from '#platform/db/postgres/postgres-copy.ts'
import type { Cell, RowSource } from '#platform/db/row-source.ts'
import { sqliteRows } from '#platform/db/sqlite/sqlite-copy.ts'
import type { DatabaseSettings } from './engines.ts'
import { postgresSampleTables, sampleInserts, sqliteSampleTables } from './sample-rows.ts'

/** The last number of a chunk that a sample database has assigned; the chunk is gone. */
export const lastChunk = 900

/** Every table gets rows, and the chunks' counter is ahead of their rows. */
export async function fillWithSamples(database: DatabaseSettings): Promise<void> {
  if (database.databaseUrl === undefined) {
    const raw = new DatabaseSync(sqliteFile(database))
    const tables = sqliteSampleTables(raw)
    raw.exec(`delete from sequences; ${sampleInserts(tables, 'sqlite', 3).join('\n')}`)
    raw.exec(`update sqlite_sequence set seq = ${lastChunk} where name = 'knowledge_chunks'`)
    raw.close()
    return
  }
  await onPostgres(database, async (client) => {
    const tables = await postgresSampleTables(client)
    await client.query(`delete from sequences; ${sampleInserts(tables, 'postgres', 3).join('\n')}`)
    const sequence = "pg_get_serial_sequence('knowledge_chunks', 'id')"
    await client.query(`select setval(${sequence}, ${lastChunk})`)
  })
}

export async function onPostgres<T>(
  { databaseUrl }: Pick<DatabaseSettings, 'databaseUrl'>,
  use: (client: Client) => Promise<T>,
  types: Pick<ClientConfig, 'types'> = {},
): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, ...types })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export type Content = Record<string, readonly (readonly Cell[])[]>

/** All content of a database, with rows in a fixed order. */
export async function contentOf(database: DatabaseSettings): Promise<Content> {
  if (database.databaseUrl === undefined) {
    const raw = new DatabaseSync(sqliteFile(database), { readOnly: true })
    const content = await collect(sqliteRows(raw, 0))
    raw.close()
    return content
  }
  const collectAll = async (client: Client) => {
    await client.query('begin read only')
    return await collect(await postgresRows(client, 0))
  }
  return await onPostgres(database, collectAll, { types: copyTypes })
}

async function collect({ batches }: RowSource): Promise<Content> {
  const content: Record<string, (readonly Cell[])[]> = {}
  for await (const { table, rows } of batches())
    (content[table] ??= []).push(...rows.map((row) => row.map(plainBytes)))
  for (const rows of Object.values(content))
    rows.sort((a, b) => (String(a) < String(b) ? -1 : Number(String(a) > String(b))))
  return content
}

/** One engine returns bytes as a Buffer, the other as a Uint8Array. */
function plainBytes(cell: Cell): Cell {
  return cell instanceof Uint8Array ? new Uint8Array(cell) : cell
}
