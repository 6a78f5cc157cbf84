import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createDatabase, dropDatabase } from '#test/support/databases/engines.ts'
import { migratePostgres } from './postgres/migrate-postgres.ts'
import { migrateSqlite } from './sqlite/migrate-sqlite.ts'
import type { Migration } from './migration-files.ts'
import { SchemaError } from './plan-migrations.ts'

const logged: unknown[] = []
const log = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) })
const run = promisify(execFile)

/** Migrates in a separate process: two migrations in one process would block each other. */
async function migrateApart(
  verb: 'migrateSqlite' | 'migratePostgres',
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file =
    verb === 'migrateSqlite' ? 'sqlite/migrate-sqlite.ts' : 'postgres/migrate-postgres.ts'
  const code = `
    import { ${verb} } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, file)))}
    await ${verb}({ ...${JSON.stringify(options)}, log: { info() {} } })`
  await run(process.execPath, ['--input-type=module', '--eval', code])
}

const step = (version: number, sql: string, sha256 = `sha ${version}`): Migration => ({
  version,
  name: `step-${version}`,
  sql,
  sha256,
})

const first = step(1, "create table a (x text primary key); insert into a values ('one');")
const second = step(2, "create table b (y text); insert into a values ('two');")
const failing = step(2, "create table b (y text); insert into a values ('one');")

/** A database without a schema. */
interface Bare {
  migrate(migrations: readonly Migration[]): Promise<void>
  migrateApart(migrations: readonly Migration[]): Promise<void>
  rows(sql: string): Promise<unknown[]>
  tables(): Promise<unknown[]>
  drop(): Promise<void>
}

async function bareSqlite(): Promise<Bare & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-migrations-'))
  const file = join(folder, 'parley.sqlite')
  const rows = async (sql: string) => {
    const raw = new DatabaseSync(file)
    const all = raw.prepare(sql).all().map(Object.values)
    raw.close()
    return all.flat()
  }
  return {
    folder,
    rows,
    migrate: (migrations) => migrateSqlite({ file, log, migrations }),
    migrateApart: (migrations) => migrateApart('migrateSqlite', { file, migrations }),
    tables: () =>
      rows(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
      ),
    drop: () => rm(folder, { recursive: true }),
  }
}

async function barePostgres(): Promise<Bare> {
  const settings = await createDatabase()
  const url = settings.databaseUrl ?? ''
  const rows = async (sql: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const result = await client.query({ text: sql, rowMode: 'array' })
    await client.end()
    return result.rows.flat()
  }
  return {
    rows,
    migrate: (migrations) => migratePostgres({ url, log, migrations }),
    migrateApart: (migrations) => migrateApart('migratePostgres', { url, migrations }),
    tables: () => rows("select tablename from pg_tables where schemaname = 'public' order by 1"),
    drop: () => dropDatabase(settings),
  }
}

const bases: [string, () => Promise<Bare>][] = [['sqlite', bareSqlite]]
if (inject('postgresUrl') !== '') bases.push(['postgres', barePostgres])

describe.each(bases)('migrations [%s]', (_, open) => {
  let bare: Bare

  beforeEach(async () => {
    bare = await open()
  })
  afterEach(() => bare.drop())

  test('are applied in order, once each', async () => {
    await bare.migrate([first])
    await bare.migrate([first, second])
    await bare.migrate([first, second])
    expect(await bare.rows('select x from a order by x')).toEqual(['one', 'two'])
    expect(await bare.rows('select version from schema_migrations order by 1')).toHaveLength(2)
  })

  test('of a new database are one event of the log, those of an upgrade one each', async () => {
    logged.length = 0
    await bare.migrate([first])
    expect(logged).toEqual(['schema created'])
    await bare.migrate([first, second])
    expect(logged.filter((event) => event === 'schema migrated')).toHaveLength(1)
  })

  test('one that fails halfway changes nothing, and can be fixed and applied', async () => {
    await bare.migrate([first])
    await expect(bare.migrate([first, failing])).rejects.toThrow()
    expect(await bare.tables()).toEqual(['a', 'schema_migrations'])
    expect(await bare.rows('select version from schema_migrations')).toHaveLength(1)
    await bare.migrate([first, second])
    expect(await bare.tables()).toEqual(['a', 'b', 'schema_migrations'])
  })

  test('processes that start at the same time apply each once', async () => {
    const processes = Array.from({ length: 3 }, () => bare.migrateApart([first, second]))
    await Promise.all(processes)
    expect(await bare.rows('select x from a order by x')).toEqual(['one', 'two'])
  })

  test('one whose text changed after it was applied is refused', async () => {
    await bare.migrate([first])
    const changed = bare.migrate([{ ...first, sha256: 'other' }, second])
    await expect(changed).rejects.toThrow(SchemaError)
    expect(await bare.tables()).toEqual(['a', 'schema_migrations'])
  })

  test('a database that is newer than this version is refused', async () => {
    await bare.migrate([first, second])
    await expect(bare.migrate([first])).rejects.toThrow('newer than this version')
  })
})

describe('migrations of SQLite', () => {
  let bare: Awaited<ReturnType<typeof bareSqlite>>

  beforeEach(async () => {
    bare = await bareSqlite()
  })
  afterEach(() => bare.drop())

  test('begin with a copy of the database, even beside a process that does the same', async () => {
    await bare.migrate([first])
    expect(await readdir(bare.folder)).toEqual(['parley.sqlite'])
    const both = [first, second]
    await Promise.all([bare.migrateApart(both), bare.migrateApart(both)])
    expect(await readdir(bare.folder)).toEqual(['parley.sqlite', 'parley.sqlite.before-0002'])
    const copy = new DatabaseSync(join(bare.folder, 'parley.sqlite.before-0002'))
    expect(copy.prepare('select x from a').all()).toEqual([{ x: 'one' }])
    expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    copy.close()
  })

  test('may rebuild a referenced table, and leave no dangling reference', async () => {
    const child = step(
      1,
      `${first.sql} create table c (x text references a (x) on delete cascade);`,
    )
    const rebuild = (into: string) =>
      step(
        2,
        `create table new_a (x text primary key); insert into new_a select '${into}' from a;
         drop table a; alter table new_a rename to a;`,
      )
    await bare.migrate([child])
    await bare.rows("insert into c values ('one')")
    await expect(bare.migrate([child, rebuild('other')])).rejects.toThrow(SchemaError)
    await bare.migrate([child, rebuild('one')])
    expect(await bare.rows('select x from c')).toEqual(['one'])
  })
})
