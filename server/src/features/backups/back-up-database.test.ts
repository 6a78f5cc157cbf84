import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '#config'
import { hourMs } from '#kernel/durations.ts'
import { createBackups } from '#platform/backups/create-backups.ts'
import { restoreDatabase } from '#platform/db/backup-database.ts'
import type { CopyPace } from '#platform/db/copy-pace.ts'
import { sqliteFile } from '#platform/db/open-database.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { startS3Server } from '#test/support/servers/s3-server.ts'
import { backUpDatabase } from './back-up-database.ts'

const noon = Date.UTC(2026, 0, 2, 12)
const log = pino({ level: 'silent' })
const engines = (['sqlite', 'postgres'] as const).filter(
  (name) =>
    (process.env.TEST_ENGINE ?? name) === name &&
    (name === 'sqlite' || inject('postgresUrl') !== ''),
)

describe.each(engines)('backups of %s that the service creates', (engine) => {
  let database: DatabaseSettings
  let folder: string
  let backupDir: string

  beforeEach(async () => {
    database = await makeDatabase(engine)
    folder = await mkdtemp(join(tmpdir(), 'parley-backups-'))
    backupDir = join(folder, 'backups')
  })

  afterEach(async () => {
    await dropDatabase(database)
    await rm(folder, { recursive: true })
  })

  async function runAt(now: number, signal = new AbortController().signal) {
    const backups = createBackups({ ...readConfig({}), ...database, backupDir, backupKeep: 2 })
    const ctx = { backups, clock: { now: () => now }, config: readConfig(every), log }
    return await backUpDatabase.run(ctx, {}, { id: 'x', attempt: 1, isLast: false, signal })
  }

  const every = { BACKUP_EVERY: '6h' }
  const nameAt = (hours: string) => `parley-20260102T${hours}0000Z.backup`
  const names = async () => (await readdir(backupDir)).toSorted()

  test('are created when the newest one is old enough, and the newest are kept', async () => {
    expect(await runAt(noon)).toEqual({ runAgainAt: noon + 6 * hourMs })
    expect(await runAt(noon + 5 * hourMs)).toEqual({ runAgainAt: noon + 6 * hourMs })
    expect(await names()).toEqual([nameAt('12')])
    await runAt(noon + 6 * hourMs)
    await runAt(noon + 11 * hourMs + hourMs)
    expect(await names()).toEqual([nameAt('18'), 'parley-20260103T000000Z.backup'])
  })

  test('can be restored', async () => {
    await runAt(noon)
    const target = { dataDir: join(folder, 'restored'), databaseUrl: undefined }
    await mkdir(target.dataDir)
    const options = { force: false, now: noon }
    const config = { ...target, databasePoolSize: 1 }
    await restoreDatabase(config, join(backupDir, nameAt('12')), options)
    using raw = new DatabaseSync(sqliteFile(config))
    expect(raw.prepare('select count(*) as count from meta').get()).toEqual({
      count: expect.any(Number),
    })
  })

  test('are uploaded to a store of objects, verified, and the newest are kept there', async () => {
    const store = await startS3Server()
    const { BACKUP_TO, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } =
      store.environment()
    const settings = {
      ...readConfig({}),
      ...database,
      backupDir,
      backupKeep: 2,
      backupTo: BACKUP_TO,
      s3Endpoint: S3_ENDPOINT,
      s3Region: S3_REGION,
      s3AccessKeyId: S3_ACCESS_KEY_ID,
      s3SecretAccessKey: S3_SECRET_ACCESS_KEY,
    }
    const run = (now: number) => {
      const ctx = { clock: { now: () => now }, config: readConfig(every), log }
      const signal = new AbortController().signal
      const job = { id: 'x', attempt: 1, isLast: false, signal }
      return backUpDatabase.run({ ...ctx, backups: createBackups(settings) }, {}, job)
    }
    const keyAt = (hours: string) => `instance/daily/${nameAt(hours)}`
    for (const hours of [12, 18]) await run(noon + (hours - 12) * hourMs)
    expect(await run(noon + 7 * hourMs)).toEqual({ runAgainAt: noon + 12 * hourMs })
    expect([...store.objects.keys()]).toEqual([keyAt('12'), keyAt('18')])
    await run(noon + 12 * hourMs)
    const third = 'instance/daily/parley-20260103T000000Z.backup'
    expect([...store.objects.keys()]).toEqual([keyAt('18'), third])
    expect(await names()).toEqual([])

    store.corrupts = true
    await expect(run(noon + 18 * hourMs)).rejects.toThrow('returned other bytes than it was sent')
    store.corrupts = false
    store.failures.push({ status: 403, code: 'AccessDenied', on: /^PUT/ })
    await expect(run(noon + 18 * hourMs)).rejects.toThrow('403 AccessDenied')
    expect([...store.objects.keys()]).toEqual([keyAt('18'), third])
    expect(await names()).toEqual([])
    await store.close()
  })

  test('leave nothing unfinished: not of a stop, and not of a process that was killed', async () => {
    await mkdir(backupDir)
    const [old, recent] = ['7', '8'].map((pid) => join(backupDir, `${nameAt('11')}.${pid}.partial`))
    for (const file of [old, recent]) await writeFile(file ?? '', 'half')
    const seconds = (noon - 2 * hourMs) / 1000
    await utimes(old ?? '', seconds, seconds)
    const stopping = new AbortController()
    const running = runAt(noon, stopping.signal)
    stopping.abort()
    await expect(running).rejects.toBe(stopping.signal.reason)
    expect((await names()).filter((name) => name.startsWith(nameAt('12')))).toEqual([])
    await runAt(noon)
    expect(await names()).toEqual([`${nameAt('11')}.8.partial`, nameAt('12')])
  })

  test.runIf(engine === 'sqlite')(
    'are copied at BACKUP_BYTES_PER_SECOND, and without pauses beside a log of BACKUP_MAX_LOG_BYTES',
    async () => {
      const config = { ...readConfig({}), ...database, backupDir, backupKeep: 2 }
      const create = async (now: number, pace: CopyPace) => {
        const { bytesPerSecond, maxLogBytes } = pace
        const paced = { backupBytesPerSecond: bytesPerSecond, backupMaxLogBytes: maxLogBytes }
        const backups = createBackups({ ...config, ...paced })
        const startedAt = performance.now()
        const { bytes } = await backups.create(now, new AbortController().signal)
        return { bytes, seconds: (performance.now() - startedAt) / 1000 }
      }
      const bytesPerSecond = 500_000
      const { bytes, seconds } = await create(noon, { bytesPerSecond, maxLogBytes: 2 ** 40 })
      // The last step is not followed by a pause.
      const paused = Math.floor(bytes / 2 ** 20)
      expect(paused).toBeGreaterThan(0)
      expect(seconds).toBeGreaterThan((paused * 2 ** 20) / bytesPerSecond)
      using other = new DatabaseSync(sqliteFile(config))
      other.exec("insert into meta (key, value) values ('longer log', '')")
      // With pauses, this would take longer than a test may.
      await create(noon + hourMs, { bytesPerSecond: 10_000, maxLogBytes: 1 })
    },
  )

  test('keep the earlier ones when one fails, and name the reason', async () => {
    await runAt(noon)
    await dropDatabase(database)
    await expect(runAt(noon + 6 * hourMs)).rejects.toThrow(/database/)
    expect(await names()).toEqual([nameAt('12')])
    database = await makeDatabase(engine)
  })
})
