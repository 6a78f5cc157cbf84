import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '#config'
import {
  createDatabase,
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { readFixtures } from '#test/support/databases/schema-fixtures.ts'
import { backupDatabase, restoreDatabase } from './backup-database.ts'
import type { Engine } from './database.ts'
import { migrate, openDatabase, sqliteFile } from './open-database.ts'

const log = pino({ level: 'silent' })
const engines = inject('engines')
const now = Date.parse('2026-05-06T07:08:09.012Z')

const made: DatabaseSettings[] = []
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-old-backup-'))
})

afterAll(async () => {
  for (const one of made) await dropDatabase(one)
  await rm(folder, { recursive: true, force: true })
})

/** A database of an earlier version of Parley, with rows in every table. */
async function leftBy(engine: Engine, sql: string): Promise<DatabaseSettings> {
  if (engine === 'sqlite') {
    const dataDir = await mkdtemp(join(folder, 'left-'))
    const database = { dataDir, databaseUrl: undefined, databasePoolSize: 1 }
    const raw = new DatabaseSync(sqliteFile(database))
    raw.exec(sql)
    raw.close()
    return database
  }
  const database = await createDatabase()
  made.push(database)
  const client = new Client({ connectionString: database.databaseUrl })
  await client.connect()
  await client.query(sql)
  await client.end()
  return database
}

/** The oldest schema and the two newest. `schema-fixtures.test.ts` upgrades all of them. */
const backups = engines.flatMap((engine) =>
  readFixtures(engine)
    .filter((_, n, all) => n === 0 || n >= all.length - 2)
    .map(({ version, sql }) => ({ engine, version, sql })),
)

test.each(backups)(
  'a backup of schema $version is restored, even over existing data, and gets the rules of the newest [$engine]',
  async ({ engine, version, sql }) => {
    const file = join(folder, `backup-${engine}-${version}`)
    await backupDatabase({ ...readConfig({}), ...(await leftBy(engine, sql)) }, file)
    const target = await makeDatabase(engine)
    made.push(target)
    for (const force of [false, true]) {
      await restoreDatabase(target, file, { force, now })
      await migrate(target, log)
      const db = openDatabase(target, log)
      const { count } = db.read.fn
      const users = await db.read.selectFrom('users').select(count<number>('id').as('n')).execute()
      expect(users[0]?.n).toBeGreaterThan(1)
      const entry = {
        id: `entry ${force}`,
        workspace_id: 'workspaces id 1',
        kind: 'turn' as const,
        amount_micros: -1,
        counted_at: 1,
        created_at: 1,
      }
      await db.write((tx) => tx.insertInto('credit_entries').values(entry).execute())
      const changing = db.write((tx) =>
        tx.updateTable('credit_entries').set({ amount_micros: 0 }).execute(),
      )
      await expect(changing).rejects.toThrow('entries of the ledger are never changed')
      const deleting = db.write((tx) => tx.deleteFrom('audit_events').execute())
      await expect(deleting).rejects.toThrow('audit events are never')
      await db.close()
    }
  },
)
