import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { Database, Engine } from '#platform/db/database.ts'
import { openDatabase, sqliteFile } from '#platform/db/open-database.ts'
import { templateName } from '#test/support/global-setup.ts'
import { temporaryFolder, type Storage } from '#test/support/temporary-folder.ts'

const log = pino({ level: 'silent' })

/** A fresh, migrated database of one engine, for one suite. */
export interface TestEngine {
  readonly name: Engine
  /** Open from `beforeAll` to `afterAll`. */
  database(): Database
  /** Opens a second handle on the same database, as another process would. The caller closes it. */
  another(): Database
  /** The configuration for a service on this database. */
  settings(): DatabaseSettings
}

export interface DatabaseSettings {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly databasePoolSize: number
}

/** The environment of a service process on a suite's database. */
export function environmentOf(engine: TestEngine): Readonly<Record<string, string>> {
  return environmentOfSettings(engine.settings())
}

export function environmentOfSettings({
  dataDir,
  databaseUrl,
}: Pick<DatabaseSettings, 'dataDir' | 'databaseUrl'>): Readonly<Record<string, string>> {
  if (databaseUrl === undefined) return { DATA_DIR: dataDir }
  return { DATABASE_URL: databaseUrl, SECRET_KEY: 'ab'.repeat(32) }
}

/** `sqlite` is for suites that test something independent of the engine, such as a page. */
export type Engines = 'both' | 'sqlite'

/**
 * Runs a suite on SQLite and on PostgreSQL, or on the one that `TEST_ENGINE` names.
 *
 * @example
 * describeEngines('creating an agent', (engine) => {
 *   test('…', async () => { await createAgent({ db: engine.database(), … }) })
 * })
 */
export function describeEngines(
  title: string,
  define: (engine: TestEngine) => void,
  engines: Engines = 'both',
): void {
  defineSuites(title, define, { engines, storage: 'memory' })
}

/** The same with SQLite on a disk, for suites that measure how long the service delays a request. */
export function describeEnginesOnDisk(title: string, define: (engine: TestEngine) => void): void {
  defineSuites(title, define, { engines: 'both', storage: 'disk' })
}

function defineSuites(
  title: string,
  define: (engine: TestEngine) => void,
  { engines, storage }: { readonly engines: Engines; readonly storage: Storage },
): void {
  const present = inject('engines')
  for (const name of engines === 'both' ? (['sqlite', 'postgres'] as const) : [engines])
    describe.runIf(present.includes(name))(`${title} [${name}]`, () =>
      define(prepared(name, storage)),
    )
}

function prepared(name: Engine, storage: Storage): TestEngine {
  let settings: DatabaseSettings | null = null
  let database: Database | null = null
  const ready = <T>(value: T | null): T => {
    if (value === null) throw new Error('the database opens in beforeAll')
    return value
  }
  beforeAll(async () => {
    settings = await makeDatabase(name, storage)
    database = openDatabase(settings, log)
  })
  afterAll(async () => {
    await database?.close()
    if (settings !== null) await dropDatabase(settings)
  })
  return {
    name,
    database: () => ready(database),
    another: () => openDatabase(ready(settings), log),
    settings: () => ready(settings),
  }
}

/** Creates a migrated database: a copy of the one that the run has migrated. The caller drops it. */
export async function makeDatabase(
  name: Engine,
  storage: Storage = 'memory',
): Promise<DatabaseSettings> {
  const dataDir = await temporaryFolder('parley-test-', storage)
  const databasePoolSize = 10
  if (name === 'sqlite') {
    const settings = { dataDir, databaseUrl: undefined, databasePoolSize }
    await copyFile(inject('sqliteTemplate'), sqliteFile(settings), constants.COPYFILE_FICLONE)
    return settings
  }
  return { dataDir, databaseUrl: await createOnServer(templateName), databasePoolSize }
}

/** Creates a PostgreSQL database without a schema. The caller drops it. */
export async function createDatabase(): Promise<DatabaseSettings> {
  const dataDir = await temporaryFolder('parley-test-', 'memory')
  return { dataDir, databaseUrl: await createOnServer('template0'), databasePoolSize: 10 }
}

async function createOnServer(template: string): Promise<string> {
  const database = `parley_${randomBytes(6).toString('hex')}`
  await onServer((client) =>
    client.query(`create database ${database} template ${template} strategy file_copy`),
  )
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${database}`
  return url.href
}

export async function dropDatabase({ dataDir, databaseUrl }: DatabaseSettings): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
  if (databaseUrl === undefined) return
  const database = new URL(databaseUrl).pathname.slice(1)
  await onServer((client) => client.query(`drop database if exists ${database} with (force)`))
}

async function onServer(use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
