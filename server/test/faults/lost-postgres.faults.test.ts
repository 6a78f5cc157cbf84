import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrate, openDatabase } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

/** The second outage is long; a run of one round, as in `.ci/run`, has a short one only. */
const outageMs = (round: number) => (round === 1 ? 30_000 : 1_000)
const rounds = Math.max(1, Math.floor(Number(process.env.FAULT_ROUNDS ?? 20) / 5))
const log = pino({ level: 'silent' })

cleansUp()

// Skipped where npm has no binaries for the platform; global-setup.ts reports that once, with a
// fix.
test.skipIf(postgresAbsence() !== null)(
  `PostgreSQL crashing ${rounds} times under load: the service refuses turns during each crash, recovers, and loses nothing`,
  { timeout: 600_000 + rounds * 60_000 },
  async () => {
    // A separate server that flushes its commits.
    const postgres = await startPostgres({ durable: true })
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-lost-'))
    const settings = { dataDir, databaseUrl: postgres.url, databasePoolSize: 10 }
    const model = await startModelServer({ record: false })
    try {
      await migrate(settings, log)
      const environment = serviceEnvironment(settings, model)
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      const traffic = new Traffic(service.origin, caller, 16)
      let healthyAfterMs = 0
      for (let round = 0; round < rounds; round++) {
        await traffic.untilMore(50)
        await postgres.pause()
        expect((await ready(service.origin)).status).toBe(503)
        await traffic.untilRefused(1)
        await sleep(outageMs(round))
        await postgres.resume()
        healthyAfterMs = Math.max(healthyAfterMs, await traffic.untilMore(1))
        await traffic.untilMore(50)
        expect((await ready(service.origin)).status).toBe(200)
      }
      await traffic.stop()
      expect(traffic.broken, 'broken connections').toBe(0)
      expect([...traffic.refusals.keys()].toSorted(), 'statuses').toEqual([503])
      const db = openDatabase(settings, log)
      try {
        await expectAllStored(db, traffic.acknowledged)
      } finally {
        await db.close()
      }
      recordFault({
        fault: 'PostgreSQL gone for up to 30 seconds',
        engine: 'postgres',
        tries: traffic.tries,
        lost: 0,
        failed: traffic.failed,
        healthyAfterMs,
      })
    } finally {
      await model.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    }
  },
)

function ready(origin: string): Promise<Response> {
  return fetch(`${origin}/readyz`)
}
