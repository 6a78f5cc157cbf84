import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '#platform/db/database.ts'
import { migrate } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import type { DatabaseSettings } from '#test/support/databases/engines.ts'
import { cleansUp, emptyFolder } from '#test/support/processes/parley-process.ts'
import { diskAbsence, mountDisk, type SmallDisk } from '#test/support/databases/small-disk.ts'
import { databaseOnDisk } from './database-on-disk.ts'
import { recordFault } from './record-fault.ts'
import { underTraffic } from './under-traffic.ts'

const log = pino({ level: 'silent' })
const absence = diskAbsence()

cleansUp()

describe.skipIf(absence !== null)(`a disk that is full${because(absence)}`, () => {
  let disk: SmallDisk
  beforeEach(async () => {
    disk = await mountDisk(160)
  })
  afterEach(() => disk.remove())

  test('SQLite: turns get 503 and /readyz says why, until there is space again', async () => {
    const dataDir = join(disk.folder, 'data')
    const settings = { dataDir, databaseUrl: undefined, databasePoolSize: 10 }
    await migrate(settings, log)
    await fillAndFree('sqlite', settings, disk)
  })

  test.skipIf(postgresAbsence() !== null)(
    'PostgreSQL: turns get 503 and /readyz says why, until there is space again',
    async () => {
      const postgres = await startPostgres({ durable: true })
      try {
        const databaseUrl = await databaseOnDisk(disk, postgres.url)
        const settings = { dataDir: await emptyFolder(), databaseUrl, databasePoolSize: 10 }
        await migrate(settings, log)
        await fillAndFree('postgres', settings, disk)
      } finally {
        await postgres.stop()
      }
    },
  )
})

async function fillAndFree(
  engine: Engine,
  settings: DatabaseSettings,
  disk: SmallDisk,
): Promise<void> {
  let healthyAfterMs = 0
  const traffic = await underTraffic(
    settings,
    async ({ traffic, readiness }) => {
      await disk.fill()
      await traffic.untilRefused(50)
      expect(await readiness()).toEqual({ status: 503, reason: 'disk' })
      await disk.free()
      healthyAfterMs = await traffic.untilMore(1)
      await traffic.untilMore(50)
      expect(await readiness()).toEqual({ status: 200 })
    },
    { MIN_FREE_DISK_BYTES: '1' },
  )
  expect(traffic.broken).toBe(0)
  expect([...traffic.refusals.keys()]).toEqual([503])
  const { tries, failed } = traffic
  recordFault({ fault: 'A full disk', engine, tries, lost: 0, failed, healthyAfterMs })
}

function because(absence: string | null): string {
  return absence === null ? '' : ` (skipped: ${absence})`
}
