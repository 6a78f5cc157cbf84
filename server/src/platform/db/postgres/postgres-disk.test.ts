import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import type { Database } from '#platform/db/database.ts'
import { openPostgres } from './open-postgres.ts'

const log = pino({ level: 'silent' })

describe.skipIf(inject('postgresUrl') === '').each([
  ['is full', 'disk_full', '53100'],
  ['fails', 'io_error', '58030'],
])('a disk of PostgreSQL that %s', (_, condition, code) => {
  let settings: DatabaseSettings
  let db: Database

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    db = openPostgres({ url: settings.databaseUrl ?? '', poolSize: 6, log })
    await db.write((tx) =>
      sql`create function fail_full() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file' using errcode = '${sql.raw(condition)}';
      end $$`.execute(tx),
    )
  })
  afterAll(async () => {
    await db.close()
    await dropDatabase(settings)
  })

  const fill = (...tables: readonly string[]) =>
    db.write(async (tx) => {
      for (const table of tables)
        await sql`create trigger full_disk before insert on ${sql.table(table)}
          execute function fail_full()`.execute(tx)
    })
  const free = (table: string) =>
    db.write((tx) => sql`drop trigger full_disk on ${sql.table(table)}`.execute(tx))

  const add = { name: 'a', next_value: 0 }
  test.each([
    ['a unit', () => db.write((tx) => tx.insertInto('sequences').values(add).execute())],
    [
      'a statement that is a unit',
      () => db.prepared((on) => on.insertInto('sequences').values(add)).write({}),
    ],
    [
      'a statement of a turn',
      () => db.prepared((on) => on.insertInto('sequences').values(add)).writeByKey({}),
    ],
  ])('is noticed when %s fails, until a write succeeds', async (_unit, write) => {
    await fill('sequences')
    await db.ping()
    const lost = { code: 'database_unavailable', cause: { code } }
    await expect(write()).rejects.toMatchObject(lost)
    await expect(db.ping()).rejects.toMatchObject(lost)
    await expect(db.ping()).rejects.toMatchObject(lost)
    await free('sequences')
    await db.ping()
    const { rows } = await sql`select 1 from sequences where name = 'disk_probe'`.execute(db.read)
    expect(rows).toEqual([])
  })
})
