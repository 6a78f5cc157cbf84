import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { diskAbsence, mountDisk, type SmallDisk } from '#test/support/databases/small-disk.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { databaseOnDisk } from './database-on-disk.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectStored, underTraffic } from './under-traffic.ts'

const absence = diskAbsence()
const because = absence === null ? '' : ` (skipped: ${absence})`

cleansUp()

const fault = 'A disk that becomes read-only, and a restart after its repair'

describe.skipIf(absence !== null)(`a disk that becomes read-only${because}`, () => {
  let disk: SmallDisk
  beforeEach(async () => {
    disk = await mountDisk(160)
  })
  afterEach(() => disk.remove())

  test('SQLite: no turn is acknowledged, a start says what is wrong, and after a repair nothing is lost', async () => {
    const dataDir = join(disk.folder, 'data')
    const settings = { dataDir, databaseUrl: undefined, databasePoolSize: 10 }
    const model = await startModelServer({ record: false })
    try {
      await migrate(settings, pino({ level: 'silent' }))
      const environment = serviceEnvironment(settings, model)
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      const traffic = new Traffic(service.origin, caller, 16)
      await traffic.untilMore(50)
      disk.break()
      await until('turns fail', () => traffic.failed > 16)
      const acknowledged = traffic.acknowledged.length
      await until('more turns fail', () => traffic.failed > 50)
      expect(traffic.acknowledged.length).toBe(acknowledged)
      await traffic.stop()
      service.signal('SIGTERM')
      await service.finished
      const { code, stderr } = await parley(['start'], { ...environment, PORT: '0' })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^parley: .* cannot be written: .*\n$/)
      disk.repair()
      const repairedAt = performance.now()
      const second = await startParley(environment)
      const after = new Traffic(second.origin, caller, 16)
      await after.untilMore(1)
      const healthyAfterMs = performance.now() - repairedAt
      await after.stop()
      second.signal('SIGTERM')
      await second.finished
      await expectStored(settings, traffic)
      await expectStored(settings, after)
      const { tries, failed } = traffic
      recordFault({ fault, engine: 'sqlite', tries, lost: 0, failed, healthyAfterMs })
    } finally {
      await model.stop()
    }
  })

  test.skipIf(postgresAbsence() !== null)(
    'PostgreSQL: turns that are not stored are refused, and after a repair nothing is lost',
    async () => {
      const postgres = await startPostgres({ durable: true })
      try {
        const databaseUrl = await databaseOnDisk(disk, postgres.url)
        const settings = { dataDir: await emptyFolder(), databaseUrl, databasePoolSize: 10 }
        await migrate(settings, pino({ level: 'silent' }))
        let healthyAfterMs = 0
        const traffic = await underTraffic(settings, async ({ traffic, readiness }) => {
          disk.break()
          await traffic.untilRefused(50)
          expect(await readiness()).toEqual({ status: 503, reason: 'disk' })
          await postgres.pause()
          disk.repair()
          await postgres.resume()
          healthyAfterMs = await traffic.untilMore(1)
          await traffic.untilMore(50)
          expect(await readiness()).toEqual({ status: 200 })
        })
        expect([...traffic.refusals.keys()]).toEqual([503])
        const { tries, failed } = traffic
        recordFault({ fault, engine: 'postgres', tries, lost: 0, failed, healthyAfterMs })
      } finally {
        await postgres.stop()
      }
    },
  )
})
