import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '#platform/db/database.ts'
import type { Migration } from '#platform/db/migration-files.ts'
import { migrationsTable } from '#platform/db/plan-migrations.ts'

export const fixturesFolder = join(import.meta.dirname, '..', '..', 'fixtures')

export const rowsPerTable = 3

export function fixtureFile(version: number, engine: Engine): string {
  return join(fixturesFolder, `schema-${String(version).padStart(4, '0')}.${engine}.sql`)
}

/** The SQL of every released schema of an engine, with rows in every table. */
export function readFixtures(engine: Engine): { version: number; sql: string }[] {
  const name = new RegExp(`^schema-(\\d{4})\\.${engine}\\.sql$`)
  return readdirSync(fixturesFolder)
    .toSorted()
    .flatMap((file) => {
      const version = name.exec(file)?.[1]
      if (version === undefined) return []
      return [{ version: Number(version), sql: readFileSync(join(fixturesFolder, file), 'utf8') }]
    })
}

/** The SQL of a fixture: the migrations, marked as applied, and `inserts`. */
export function fixtureSql(
  migrations: readonly Migration[],
  tables: readonly string[],
  inserts: readonly string[],
): string {
  const marks = migrations.map(
    ({ version, name, sha256 }) =>
      `insert into schema_migrations values (${version}, '${name}', '${sha256}', 0);`,
  )
  return [
    '-- Written by tools/write-schema-fixture.ts when this schema landed. Never edited.',
    `${migrationsTable.trim()};`,
    ...migrations.map(({ sql }) => sql.trim()),
    ...marks,
    '-- What migrations put in is replaced by the rows below.',
    ...tables.toReversed().map((table) => `delete from "${table}";`),
    ...inserts,
    '',
  ].join('\n\n')
}
