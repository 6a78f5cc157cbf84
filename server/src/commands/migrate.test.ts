import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { openDatabase } from '#platform/db/open-database.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { cleansUp, parley } from '#test/support/processes/parley-process.ts'

cleansUp()

const engines = (['sqlite', 'postgres'] as const).filter(
  (name) =>
    (process.env.TEST_ENGINE ?? name) === name &&
    (name === 'sqlite' || inject('postgresUrl') !== ''),
)

describe.each(engines)('migrate on %s', (engine) => {
  let database: DatabaseSettings
  let environment: Readonly<Record<string, string>>

  beforeEach(async () => {
    database = await makeDatabase(engine)
    const { databaseUrl, dataDir } = database
    environment = {
      DATA_DIR: databaseUrl === undefined ? dataDir : join(dataDir, 'none'),
      PORT: '0',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, SECRET_KEY: 'ab'.repeat(32) }),
    }
  })

  afterEach(() => dropDatabase(database))

  async function change(statement: ReturnType<typeof sql>): Promise<void> {
    const db = openDatabase(database, pino({ level: 'silent' }))
    await db.write((tx) => statement.execute(tx))
    await db.close()
  }

  test('--plan shows what would be applied, and applies nothing', async () => {
    const nothing = await parley(['migrate', '--plan'], environment)
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringMatching(/nothing is pending/) })
    await change(sql`delete from schema_migrations where version > 20`)
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout } = await parley(['migrate', '--plan'], environment)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^would apply 21 bounded-records\nwould apply 22 segments\n/)
      expect(stdout).toContain('the version before can run on the new schema')
      expect(stdout.includes('is copied')).toBe(engine === 'sqlite')
    }
    expect((await parley(['migrate', '--status'], environment)).code).toBe(1)
  })

  test('a start and a migration refuse a database of a later version in one line', async () => {
    await change(sql`insert into schema_migrations values (9001, 'later', 'x', 1)`)
    const line =
      'The database has schema 9001 (later), which is newer than this version of Parley. Install the newer version, or restore a backup made before it.'
    const refused = { code: 1, stdout: '', stderr: `parley: ${line}\n` }
    for (const command of [['migrate'], ['migrate', '--plan'], ['migrate', '--status'], ['start']])
      expect(await parley(command, { ...environment, LOG_LEVEL: 'silent' })).toEqual(refused)
    const { code, stdout } = await parley(['doctor'], environment)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed {2}schema +version 9001 of \d+\n +fix: install the newer version/m,
    )
  })
})
