import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { describe } from 'vitest'
import { migrate } from '#platform/db/open-database.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { defineOnInstances, type OpenInstance } from '#test/support/test-instance.ts'
import {
  startVectorPostgres,
  type VectorPostgres,
} from '#test/support/databases/vector-postgres.ts'

/** Runs a suite on the databases that can search vectors: SQLite, and PostgreSQL with pgvector. */
export function describeVectors(title: string, define: (open: OpenInstance) => void): void {
  describe(`${title} [sqlite]`, () => {
    defineOnInstances({ make: () => makeDatabase('sqlite'), drop: dropDatabase }, define)
  })
  describe(`${title} [pgvector]`, () => {
    const servers = new Map<string, VectorPostgres>()
    const log = pino({ level: 'silent' })
    defineOnInstances(
      {
        async make(): Promise<DatabaseSettings> {
          const server = await startVectorPostgres()
          servers.set(server.url, server)
          const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
          const settings = { dataDir, databaseUrl: server.url, databasePoolSize: 3 }
          await migrate(settings, log)
          return settings
        },
        drop: async ({ databaseUrl = '' }) => servers.get(databaseUrl)?.stop(),
      },
      define,
    )
  })
}
