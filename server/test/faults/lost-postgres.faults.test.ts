import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrate, openDatabase } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/embedded-postgres.ts'
import { startModelServer } from '#test/support/model-server.ts'
import { cleansUp, startParley } from '#test/support/parley-process.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Math.max(1, Math.floor(Number(process.env.FAULT_ROUNDS ?? 20) / 5))
const log = pino({ level: 'silent' })

cleansUp()

// Where npm has no binaries for the platform; global-setup.ts says so once, with the mend.
test.skipIf(postgresAbsence() !== null)(
  `PostgreSQL crashing ${rounds} times under load: the service refuses meanwhile, goes on after, and loses nothing`,
  { timeout: 60_000 + rounds * 30_000 },
  async () => {
    // A server of its own that flushes what it commits.
    const postgres = await startPostgres({ durable: true })
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-lost-'))
    const settings = { dataDir, databaseUrl: postgres.url, databasePoolSize: 10 }
    const model = await startModelServer({ record: false })
    try {
      await migrate(settings, log)
      const environment = serviceEnvironment(settings, model)
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      const traffic = new Traffic(service.baseUrl, caller, 16)
      for (let round = 0; round < rounds; round++) {
        await untilAnswered(traffic, 50)
        await postgres.pause()
        const refusedBefore = traffic.refusals.get(503) ?? 0
        expect((await ready(service.baseUrl)).status).toBe(503)
        await sleep(1_000)
        expect(traffic.refusals.get(503) ?? 0).toBeGreaterThan(refusedBefore)
        await postgres.resume()
        await untilAnswered(traffic, 50)
        expect((await ready(service.baseUrl)).status).toBe(200)
      }
      await traffic.stop()
      expect(traffic.broken, 'connections of callers that broke').toBe(0)
      expect([...traffic.refusals.keys()].toSorted(), 'statuses').toEqual([503])
      const db = openDatabase(settings, log)
      await expectAllStored(db, traffic.acknowledged).finally(() => db.close())
    } finally {
      await model.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    }
  },
)

function ready(baseUrl: string): Promise<Response> {
  return fetch(`${baseUrl}/readyz`)
}

/** Waits for so many more turns; a service that does not recover fails here. */
async function untilAnswered(traffic: Traffic, more: number): Promise<void> {
  const enough = traffic.acknowledged.length + more
  for (let waited = 0; traffic.acknowledged.length < enough; waited += 50) {
    if (waited > 20_000) throw new Error('the service does not answer')
    await sleep(50)
  }
}
