import { Client } from 'pg'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrate } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { cleansUp, emptyFolder } from '#test/support/processes/parley-process.ts'
import { recordFault } from './record-fault.ts'
import { connectionName } from './service-environment.ts'
import { underTraffic } from './under-traffic.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 20)

cleansUp()

// Skipped where npm has no binaries for the platform; global-setup.ts reports that once, with a
// fix.
test.skipIf(postgresAbsence() !== null)(
  `connections that PostgreSQL ends under load, ${rounds} times all at once: only requests that used one fail, with 503, and nothing is lost`,
  async () => {
    const postgres = await startPostgres({ durable: true })
    const dataDir = await emptyFolder()
    const settings = { dataDir, databaseUrl: postgres.url, databasePoolSize: 10 }
    await migrate(settings, pino({ level: 'silent' }))
    const client = new Client({ connectionString: settings.databaseUrl })
    await client.connect()
    let healthyAfterMs = 0
    let ended = 0
    const traffic = await underTraffic(settings, async ({ traffic, readiness }) => {
      for (let round = 0; round < rounds; round += 1) {
        ended += (await client.query(endAll, [connectionName])).rowCount ?? 0
        healthyAfterMs = Math.max(healthyAfterMs, await traffic.untilMore(1))
        await traffic.untilMore(50)
      }
      expect(await readiness()).toEqual({ status: 200 })
    })
    await client.end()
    await postgres.stop()
    expect(ended, 'ended connections').toBeGreaterThanOrEqual(rounds)
    expect(traffic.failed, 'failed turns').toBeLessThanOrEqual(ended + traffic.unfinished)
    expect(traffic.broken).toBe(0)
    expect([...traffic.refusals.keys()].filter((status) => status !== 503)).toEqual([])
    recordFault({
      fault: 'All connections ended by PostgreSQL',
      engine: 'postgres',
      tries: traffic.tries,
      lost: 0,
      failed: traffic.failed,
      healthyAfterMs,
    })
  },
)

const endAll = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = $1`
