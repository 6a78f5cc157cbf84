import { rm } from 'node:fs/promises'
import { Client } from 'pg'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import type { Engine } from '#platform/db/database.ts'
import { migratePostgres } from '#platform/db/postgres/migrate-postgres.ts'
import { migrate, sqliteFile } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The maintenance database of the run's PostgreSQL; empty if the run has none. */
    postgresUrl: string
    /** A SQLite database with the newest schema. Suites copy the file. */
    sqliteTemplate: string
    /** The engines that suites run on. */
    engines: readonly Engine[]
  }
}

/** A PostgreSQL database with the newest schema. Suites copy it, which only copies files. */
export const templateName = 'parley_template'

const log = pino({ level: 'silent' })

/** Prepares the databases that suites copy, on one PostgreSQL for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const engines = chosenEngines(given === undefined ? postgresAbsence() : null)
  project.provide('engines', engines)
  const dataDir = await temporaryFolder('parley-template-', 'memory')
  const settings = { dataDir, databaseUrl: undefined, databasePoolSize: 1 }
  await migrate(settings, log)
  project.provide('sqliteTemplate', sqliteFile(settings))
  const server = engines.includes('postgres') && given === undefined ? await startPostgres() : null
  const url = engines.includes('postgres') ? (given ?? server?.url ?? '') : ''
  if (url !== '') await makeTemplate(url)
  project.provide('postgresUrl', url)
  return async () => {
    await server?.stop()
    await rm(dataDir, { recursive: true })
  }
}

/** @param absence why there is no PostgreSQL, or null */
function chosenEngines(absence: string | null): readonly Engine[] {
  const chosen = process.env.TEST_ENGINE ?? ''
  if (chosen === 'sqlite') return ['sqlite']
  if (chosen !== '' && chosen !== 'postgres')
    throw new Error(`TEST_ENGINE must be sqlite or postgres, not ${chosen}`)
  if (absence === null) return chosen === 'postgres' ? ['postgres'] : ['sqlite', 'postgres']
  if (chosen === 'postgres') throw new Error(absence)
  process.stderr.write(`Skipping the PostgreSQL suites: ${absence}\n`)
  return ['sqlite']
}

async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${templateName}`)
  await client.query(`create database ${templateName}`)
  await client.end()
  const template = new URL(url)
  template.pathname = `/${templateName}`
  await migratePostgres({ url: template.href, log })
}
