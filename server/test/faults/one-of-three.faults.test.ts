import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { createLogger } from '#platform/log.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { answeredAfter, openStream } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

// Several processes need PostgreSQL.
describe.skipIf(inject('postgresUrl') === '')(
  'kill -9 of one of three processes under load',
  () => {
    cleansUp()
    let settings: DatabaseSettings
    let db: Database
    beforeAll(async () => {
      settings = await makeDatabase('postgres')
      db = openDatabase(settings, createLogger({ logLevel: 'silent' }))
    })
    afterAll(async () => {
      await db.close()
      await dropDatabase(settings)
    })

    test('the others answer all their requests, and its sessions continue with them', async () => {
      const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
      const script = (_: unknown, n: number) => ({ reply: words, firstByteMs: n % 7, chunkMs: 1 })
      const model = await startModelServer({ record: false, script })
      const environment = {
        ...serviceEnvironment(settings, model),
        DATABASE_POOL_SIZE: '6',
      }
      const caller = await makeCaller(environment)
      const services = [await startParley(environment)]
      for (let n = 1; n < 3; n += 1) services.push(await startParley(environment))
      const [killed, ...others] = services
      const traffic = services.map(({ origin }) => new Traffic(origin, caller, 8))
      const [lostTraffic, ...otherTraffic] = traffic
      if (killed === undefined || lostTraffic === undefined || others[0] === undefined)
        throw new Error('three processes run')
      await until('all of them answer', () =>
        traffic.every(({ acknowledged }) => acknowledged.length >= 30),
      )
      await until('a turn waits for its model', () => model.answering() > 0)
      const continued = await openStream(killed.origin, caller)
      const before = otherTraffic.map(({ acknowledged }) => acknowledged.length)
      const killedAt = performance.now()
      killed.signal('SIGKILL')
      await killed.finished
      void lostTraffic.stop()
      const sessionId = continued.sessionId
      const next = await openStream(others[0].origin, caller, { sessionId })
      expect(await next.ended).toBe(true)
      const healthyAfterMs = performance.now() - killedAt
      await until('the others answer on', () =>
        otherTraffic.every(({ acknowledged }, n) => acknowledged.length >= (before[n] ?? 0) + 30),
      )
      await answeredAfter(others[0].origin, caller, killedAt)
      await Promise.all(traffic.map((one) => one.stop()))
      const failures = ({ broken, unfinished, refusals }: Traffic) =>
        broken + unfinished + [...refusals.values()].reduce((sum, count) => sum + count, 0)
      expect(otherTraffic.map(failures), 'failed requests of the others').toEqual([0, 0])
      expect(failures(lostTraffic)).toBeGreaterThan(0)
      const acknowledged = traffic.flatMap((one) => one.acknowledged)
      await expectAllStored(db, acknowledged)
      recordFault({
        fault: 'kill -9 of one of three processes under load',
        engine: 'postgres',
        tries: acknowledged.length + failures(lostTraffic),
        lost: 0,
        failed: failures(lostTraffic),
        healthyAfterMs,
      })
      for (const { signal } of others) signal('SIGTERM')
      await Promise.all(others.map(({ finished }) => finished))
      await model.stop()
    })
  },
)
