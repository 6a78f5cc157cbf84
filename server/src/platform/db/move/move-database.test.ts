import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { afterAll, describe, expect, inject, test } from 'vitest'
import {
  createDatabase,
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import {
  contentOf,
  fillWithSamples,
  lastChunk,
  onPostgres,
} from '#test/support/databases/sample-database.ts'
import type { Engine } from '#platform/db/database.ts'
import { openDatabase, sqliteFile } from '#platform/db/open-database.ts'
import { copyTypes, postgresRows } from '#platform/db/postgres/postgres-copy.ts'
import { sqliteRows } from '#platform/db/sqlite/sqlite-copy.ts'
import { moveDatabase, type MoveReport } from './move-database.ts'
import { rebuiltTables } from './move-tables.ts'

const log = pino({ level: 'silent' })
const now = Date.parse('2026-05-06T07:08:09.012Z')
const made: DatabaseSettings[] = []

afterAll(async () => {
  for (const one of made) await dropDatabase(one)
})

async function empty(engine: Engine): Promise<DatabaseSettings> {
  const database = await makeDatabase(engine)
  made.push(database)
  return database
}

async function samples(engine: Engine): Promise<DatabaseSettings> {
  const database = await empty(engine)
  await fillWithSamples(database)
  return database
}

async function runOn(database: DatabaseSettings, sql: string): Promise<void> {
  if (database.databaseUrl !== undefined) {
    await onPostgres(database, (client) => client.query(sql))
    return
  }
  using raw = new DatabaseSync(sqliteFile(database))
  raw.exec(sql)
}

const silent: MoveReport = { copied: () => undefined, verified: () => undefined }

const move = (
  from: DatabaseSettings,
  to: DatabaseSettings,
  { restart = false, report = silent } = {},
) => moveDatabase(from, to, { restart, now, report })

/** Ends as a crash would: after the third page of a run, which the target has stored. */
function endsAfterPages(pages: number): MoveReport {
  let count = 0
  const copied = () => {
    count += 1
    if (count > pages) throw new Error('the process ends')
  }
  return { ...silent, copied }
}

async function movedContent(database: DatabaseSettings) {
  const content = await contentOf(database)
  for (const name of rebuiltTables) delete content[name]
  const { watermarks = [] } = content
  // The move resets it, so that conversations are indexed again.
  content.watermarks = watermarks.filter(([name]) => name !== 'conversation_search')
  return content
}

async function shapes(database: DatabaseSettings): Promise<Map<string, string>> {
  const { header } =
    database.databaseUrl === undefined
      ? sqliteRows(new DatabaseSync(sqliteFile(database), { readOnly: true }), 0)
      : await onPostgres(database, (client) => postgresRows(client, 0), { types: copyTypes })
  return new Map(header.tables.map(({ name, columns }) => [name, columns.toSorted().join(' ')]))
}

const ways = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const

describe.runIf(inject('engines').length === 2)('moving a database', () => {
  test('leaves out no table: each one is on both engines, or is an index that is rebuilt', async () => {
    const sqlite = await shapes(await empty('sqlite'))
    const postgres = await shapes(await empty('postgres'))
    for (const name of rebuiltTables) {
      expect(sqlite.has(name) !== postgres.has(name), name).toBe(true)
      sqlite.delete(name)
      postgres.delete(name)
    }
    expect(Object.fromEntries(postgres)).toEqual(Object.fromEntries(sqlite))
  })

  test.each(ways)('from %s to %s copies every row, counter, index and rule', async (from, to) => {
    const source = await samples(from)
    const target = await empty(to)
    const verified = new Map<string, number>()
    const report = { ...silent, verified: (name: string, rows: number) => verified.set(name, rows) }
    const { tables, rows } = await move(source, target, { report })
    const content = await movedContent(source)
    expect(await movedContent(target)).toEqual(content)
    expect(tables).toBe(Object.keys(content).length)
    expect(verified.size).toBe(tables)
    expect(rows).toBe([...verified.values()].reduce((sum, count) => sum + count, 0))
    expect(rows).toBeGreaterThanOrEqual(tables * 3)
    expect(await namesOfRules(target)).toEqual(await namesOfRules(await empty(to)))
    const db = openDatabase(target, log)
    const { id } = await db.write((tx) =>
      tx
        .insertInto('knowledge_vector_blocks')
        .values({ space_id: 1, vector_count: 1, content: new Uint8Array([1]) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    expect(id).toBe(4)
    const changing = db.write((tx) =>
      tx.updateTable('audit_events').set({ action: 'nothing' }).execute(),
    )
    await expect(changing).rejects.toThrow('audit events are never changed')
    await db.close()
    expect(await lastChunkOf(target)).toBe(lastChunk)
  })

  test.each(ways)('from %s to %s continues where it was interrupted', async (from, to) => {
    const source = await samples(from)
    const target = await empty(to)
    const interrupted = move(source, target, { report: endsAfterPages(7) })
    await expect(interrupted).rejects.toThrow('the process ends')
    expect(await movedContent(target)).not.toHaveProperty('users')
    const copied: string[] = []
    const report = { ...silent, copied: (name: string) => copied.push(name) }
    const { tables, rows, copiedRows } = await move(source, target, { report })
    expect(copied.length).toBeLessThanOrEqual(tables - 7)
    expect(copiedRows).toBeLessThan(rows)
    expect(await movedContent(target)).toEqual(await movedContent(source))
  })

  test.each(ways)('from %s to %s detects that the source changed meanwhile', async (from, to) => {
    const source = await samples(from)
    const target = await empty(to)
    await move(source, target, { report: endsAfterPages(60) }).catch(() => undefined)
    await runOn(source, "update action_calls set name = 'other'")
    await expect(move(source, target)).rejects.toThrow(/rows of action_calls differ.*--restart$/)
    await move(source, target, { restart: true })
    expect(await movedContent(target)).toEqual(await movedContent(source))
  })

  test.each(ways)('from %s to %s is refused while a service uses either', async (from, to) => {
    const source = await samples(from)
    const target = await empty(to)
    for (const [used, message] of [
      [source, 'a service uses the source'],
      [target, 'a service uses the target'],
    ] as const) {
      const db = openDatabase(used, log)
      await db.ping()
      await expect(move(source, target)).rejects.toThrow(message)
      await db.close()
    }
    const meanwhile: Promise<boolean>[] = []
    const copied = () => {
      if (meanwhile.length === 0) meanwhile.push(isWritable(source))
    }
    await move(source, target, { report: { ...silent, copied } })
    expect(await Promise.all(meanwhile)).toEqual([false])
    expect(await isWritable(source)).toBe(true)
  })

  test.each(ways)('from %s to %s is refused if the target is not empty', async (from, to) => {
    const source = await samples(from)
    await expect(move(source, await samples(to))).rejects.toThrow('the target is not empty')
    const other = await empty(to)
    await move(await samples(from), other, { report: endsAfterPages(3) }).catch(() => undefined)
    await expect(move(source, other)).rejects.toThrow(/has an unfinished move from \S+: /)
    await move(source, other, { restart: true })
    expect(await movedContent(other)).toEqual(await movedContent(source))
  })

  test.each(ways)('from %s to %s refuses other tables and other schemas', async (from, to) => {
    const source = await samples(from)
    const target = await empty(to)
    await runOn(source, 'create table notes (id bigint primary key)')
    await expect(move(source, target)).rejects.toThrow('the table notes is not the same')
    await runOn(source, 'drop table notes; alter table meta add column note text')
    await expect(move(source, target)).rejects.toThrow('the table meta is not the same')
    await runOn(source, 'alter table meta drop column note')
    const older = 'delete from schema_migrations where version > 30'
    await runOn(source, older)
    await expect(move(source, target)).rejects.toThrow('run `parley migrate` first')
    await runOn(source, "insert into schema_migrations values (9001, 'later', 'x', 1)")
    await expect(move(source, target)).rejects.toThrow('newer than this version')
  })

  test('is refused between databases of one engine, and from nothing', async () => {
    const source = await samples('sqlite')
    await expect(move(source, await empty('sqlite'))).rejects.toThrow('of the same engine')
    await rm(sqliteFile(source))
    await expect(move(source, await empty('postgres'))).rejects.toThrow('there is no database in')
    const nothing = await createDatabase()
    made.push(nothing)
    await expect(move(nothing, source)).rejects.toThrow('there is no Parley database at')
    expect(existsSync(sqliteFile(source))).toBe(false)
  })

  test('needs no schema in the target, and large rows do not stay in memory together', async () => {
    const source = await empty('sqlite')
    await runOn(
      source,
      `insert into meta (key, value)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 400)
       select 'large ' || i, hex(randomblob(50000)) from n`,
    )
    const target = await createDatabase()
    made.push(target)
    let pages = 0
    const report = { ...silent, copied: (name: string) => (pages += Number(name === 'meta')) }
    await move(source, target, { report })
    // 40 MB in pages of about 4 MB.
    expect(pages).toBeGreaterThan(7)
    expect(await movedContent(target)).toHaveProperty('meta')
  })
})

/** Names of indexes, constraints and triggers that are in force. */
async function namesOfRules(database: DatabaseSettings): Promise<string[]> {
  if (database.databaseUrl === undefined) {
    using raw = new DatabaseSync(sqliteFile(database), { readOnly: true })
    return raw
      .prepare("select type || ' ' || name || ' ' || coalesce(sql, '') as rule from sqlite_schema")
      .all()
      .map(({ rule }) => String(rule))
      .toSorted()
  }
  const { rows } = await onPostgres(database, (client) =>
    client.query<{ rule: string }>(`
      select indexdef as rule from pg_indexes where schemaname = current_schema()
      union all
      select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        from pg_constraint where connamespace = current_schema()::regnamespace
      union all
      select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger
        where not tgisinternal
      order by 1`),
  )
  return rows.map(({ rule }) => rule)
}

async function lastChunkOf(database: DatabaseSettings): Promise<number> {
  if (database.databaseUrl === undefined) {
    using raw = new DatabaseSync(sqliteFile(database), { readOnly: true })
    const counter = "select seq from sqlite_sequence where name = 'knowledge_chunks'"
    return Number(raw.prepare(counter).get()?.seq)
  }
  const { rows } = await onPostgres(database, (client) =>
    client.query<{ last: string }>(
      "select nextval(pg_get_serial_sequence('knowledge_chunks', 'id')) - 1 as last",
    ),
  )
  return Number(rows[0]?.last)
}

async function isWritable(database: DatabaseSettings): Promise<boolean> {
  const change = "insert into meta (key, value) values ('written', '1')"
  const locked = database.databaseUrl === undefined ? '' : "set lock_timeout = '1ms'; "
  try {
    await runOn(database, locked + change)
    return true
  } catch {
    return false
  }
}
