import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import pino from 'pino'
import { describe, expect, inject, test } from 'vitest'
import { createDatabase, dropDatabase } from '#test/support/databases/engines.ts'
import { readFixtures, rowsPerTable } from '#test/support/databases/schema-fixtures.ts'
import { migratePostgres } from './postgres/migrate-postgres.ts'
import { migrateSqlite } from './sqlite/migrate-sqlite.ts'
import { readMigrations } from './migration-files.ts'
import { copyTypes, postgresRows } from './postgres/postgres-copy.ts'
import type { Cell, RowSource } from './row-source.ts'
import { sqliteRows } from './sqlite/sqlite-copy.ts'

const log = pino({ level: 'silent' })

/** Rows by column name, so that columns can be added and reordered. */
type Table = readonly Readonly<Record<string, Cell>>[]

async function collect({ header, batches }: RowSource): Promise<Map<string, Table>> {
  const tables = new Map<string, Table>(header.tables.map(({ name }) => [name, []]))
  const columns = new Map(header.tables.map((table) => [table.name, table.columns]))
  for await (const { table, rows } of batches()) {
    const named = rows.map((row) =>
      Object.fromEntries(row.map((cell, at) => [columns.get(table)![at]!, cell])),
    )
    tables.set(table, [...tables.get(table)!, ...named])
  }
  return tables
}

/** Columns that a migration changes on purpose, as `table.column`. */
const changed = new Set(['workspace_usage.compared_at'])

/** Expects the rows of every remaining table to be unchanged in every remaining column. */
function expectSurvival(before: Map<string, Table>, after: Map<string, Table>): void {
  for (const [name, rows] of before) {
    expect(rows.length, `rows of ${name} in the fixture`).toBeGreaterThanOrEqual(rowsPerTable)
    const kept = after.get(name)
    if (kept === undefined) continue
    const columns = Object.keys(rows[0]!).filter(
      (column) => column in (kept[0] ?? {}) && !changed.has(`${name}.${column}`),
    )
    const only = (row: Table[number]) => columns.map((column) => row[column])
    expect(kept.map(only), name).toEqual(expect.arrayContaining(rows.map(only)))
  }
}

async function onSqlite(sql: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-fixture-'))
  const file = join(folder, 'parley.sqlite')
  const look = async () => {
    const raw = new DatabaseSync(file)
    const tables = await collect(sqliteRows(raw, 0))
    raw.close()
    return tables
  }
  try {
    const raw = new DatabaseSync(file)
    raw.exec(sql)
    raw.close()
    const before = await look()
    await migrateSqlite({ file, log })
    expectSurvival(before, await look())
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function onPostgres(sql: string): Promise<void> {
  const settings = await createDatabase()
  const client = new Client({ connectionString: settings.databaseUrl, types: copyTypes })
  const look = async () => {
    await client.query('begin')
    const tables = await collect(await postgresRows(client, 0))
    await client.query('commit')
    return tables
  }
  try {
    await client.connect()
    await client.query(sql)
    const before = await look()
    await migratePostgres({ url: settings.databaseUrl ?? '', log })
    expectSurvival(before, await look())
  } finally {
    await client.end()
    await dropDatabase(settings)
  }
}

describe('a released schema migrates to the newest and keeps its rows', () => {
  test.each(readFixtures('sqlite'))('schema $version [sqlite]', ({ sql }) => onSqlite(sql))

  test.skipIf(inject('postgresUrl') === '').each(readFixtures('postgres'))(
    'schema $version [postgres]',
    ({ sql }) => onPostgres(sql),
  )

  test.each(['sqlite', 'postgres'] as const)('the newest schema has a fixture [%s]', (engine) => {
    const newest = readMigrations(engine).at(-1)?.version
    const kept = readFixtures(engine).map(({ version }) => version)
    expect(kept, 'run tools/write-schema-fixture.ts').toContain(newest)
  })
})
