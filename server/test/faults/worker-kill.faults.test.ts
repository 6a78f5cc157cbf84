import { setTimeout as sleep } from 'node:timers/promises'
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
import { untilReady } from '#test/support/processes/service-log.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 10)

describe.skipIf(inject('postgresUrl') === '')('kill -9 of a worker during traffic', () => {
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

  test(
    `${rounds} times: every acknowledged turn is stored, and the service answers again with all workers`,
    { timeout: 600_000 + rounds * 15_000 },
    async () => {
      const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
      const model = await startModelServer({
        record: false,
        script: (_, n) => ({ reply: words, firstByteMs: n % 7, chunkMs: 1 }),
      })
      const environment = {
        ...serviceEnvironment(settings, model),
        LOG_LEVEL: 'info',
        WORKERS: '2',
      }
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      await untilReady(service, 2)
      const traffic = new Traffic(service.origin, caller, 16)
      let healthyAfterMs = 0
      for (let round = 0; round < rounds; round++) {
        const before = traffic.acknowledged.length
        await until('turns are answered', () => traffic.acknowledged.length >= before + 10)
        await sleep(Math.random() * 300)
        await until('a turn waits for its model', () => model.answering() > 0)
        const ready = await untilReady(service, 2 + round)
        // The one that has served longest: the other replaced an earlier one.
        process.kill(ready.at(-2) ?? 0, 'SIGKILL')
        healthyAfterMs = Math.max(healthyAfterMs, await traffic.untilMore(1))
        await untilReady(service, 3 + round)
      }
      await traffic.stop()
      expect(traffic.broken, 'turns that the kills cut off').toBeGreaterThan(0)
      expect([...traffic.refusals.keys()], 'refusals').toEqual([])
      service.signal('SIGTERM')
      expect((await service.finished).code).toBe(0)
      await expectAllStored(db, traffic.acknowledged)
      const { tries, failed } = traffic
      const fault = 'kill -9 of one of two workers under load'
      recordFault({ fault, engine: 'postgres', tries, lost: 0, failed, healthyAfterMs })
      await model.stop()
    },
  )
})
