import { Client } from 'pg'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { migratePostgres } from '#platform/db/migrate-postgres.ts'
import { postgresAbsence, startPostgres } from './embedded-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The maintenance database of the run's PostgreSQL; empty where there is none. */
    postgresUrl: string
  }
}

/** A database at the newest schema; each suite gets a copy, which costs a file copy. */
export const templateName = 'parley_template'

/** One PostgreSQL for the whole run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_DATABASE_URL
  const absence = given === undefined ? postgresAbsence() : null
  if (absence !== null) {
    project.provide('postgresUrl', '')
    process.stderr.write(`PostgreSQL suites are left out: ${absence}\n`)
    return undefined
  }
  const server = given === undefined ? await startPostgres() : null
  const url = given ?? server?.url ?? ''
  await makeTemplate(url)
  project.provide('postgresUrl', url)
  return async () => await server?.stop()
}

async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${templateName}`)
  await client.query(`create database ${templateName}`)
  await client.end()
  const template = new URL(url)
  template.pathname = `/${templateName}`
  await migratePostgres({ url: template.href, log: pino({ level: 'silent' }) })
}
