import { mkdirSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Engine } from '../server/src/platform/db/database.ts'
import { readMigrations } from '../server/src/platform/db/migration-files.ts'
import { startPostgres } from '../server/test/support/databases/embedded-postgres.ts'
import {
  postgresSampleTables,
  sampleInserts,
  sqliteSampleTables,
  type SampleTable,
} from '../server/test/support/databases/sample-rows.ts'
import {
  fixtureFile,
  fixturesFolder,
  fixtureSql,
  rowsPerTable,
} from '../server/test/support/databases/schema-fixtures.ts'

/**
 * Writes the newest schema as one fixture per engine, with rows in every table. Run it when a
 * migration lands. The fixtures of older schemas stay as they are.
 */

/** SQLite's full-text index is a virtual table: its sample is one document per chunk. */
const sqliteIndexRows = `insert into knowledge_index (rowid, heading_terms, body_terms) values
${Array.from({ length: rowsPerTable }, (_, n) => `  (${n + 1}, '1:head', '1:body 1:word')`).join(',\n')};`

mkdirSync(fixturesFolder, { recursive: true })
write('sqlite', describeSqlite(), [sqliteIndexRows])
write('postgres', await describePostgres(), [])

function write(engine: Engine, tables: readonly SampleTable[], more: readonly string[]): void {
  const migrations = readMigrations(engine)
  const file = fixtureFile(migrations.at(-1)?.version ?? 0, engine)
  const names = tables.map(({ name }) => name)
  const inserts = [...sampleInserts(tables, engine, rowsPerTable), ...more]
  writeFileSync(file, fixtureSql(migrations, names, inserts))
  console.log(file)
}

function describeSqlite(): SampleTable[] {
  const raw = new DatabaseSync(':memory:')
  for (const { sql } of readMigrations('sqlite')) raw.exec(sql)
  return sqliteSampleTables(raw)
}

async function describePostgres(): Promise<SampleTable[]> {
  const server = await startPostgres()
  const client = new Client({ connectionString: server.url })
  try {
    await client.connect()
    for (const { sql } of readMigrations('postgres')) await client.query(sql)
    return await postgresSampleTables(client)
  } finally {
    await client.end()
    await server.stop()
  }
}
