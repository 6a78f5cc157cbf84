import { stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley } from '#test/support/processes/parley-process.ts'
import { Pacer } from './copy-pace.ts'
import { openDatabase } from './open-database.ts'

cleansUp()

const megabyte = 1_000_000

test('a backup beside a service that writes is one moment, paced, and never begins again', async () => {
  const DATA_DIR = await emptyFolder()
  await parley(['migrate'], { DATA_DIR })
  const db = openDatabase(
    { dataDir: DATA_DIR, databaseUrl: undefined, databasePoolSize: 1 },
    pino({ level: 'silent' }),
  )
  let written = 0
  /** Two rows of 100 kB in one unit. */
  const write = () => {
    const name = `row-${++written}`
    return db.write((tx) =>
      tx
        .insertInto('meta')
        .values([
          { key: `${name}-a`, value: 'a'.repeat(100_000) },
          { key: `${name}-b`, value: 'b'.repeat(100_000) },
        ])
        .execute(),
    )
  }
  for (let n = 0; n < 100; n += 1) await write()
  const before = written
  const target = join(DATA_DIR, 'copy')
  const startedAt = performance.now()
  const over = new AbortController()
  const backup = parley(['backup', target], {
    DATA_DIR,
    BACKUP_BYTES_PER_SECOND: String(10 * megabyte),
  }).finally(() => over.abort())
  while (!over.signal.aborted) {
    await write()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const { code, stderr } = await backup
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await db.close()
  using copy = new DatabaseSync(target, { readOnly: true })
  const rows = (end: string) =>
    Number(copy.prepare(`select count(*) as n from meta where key like 'row-%${end}'`).get()?.n)
  expect(rows('-a')).toBe(rows('-b'))
  expect(rows('-a')).toBeGreaterThanOrEqual(before)
  expect(written).toBeGreaterThan(before + 50)
  const seconds = (performance.now() - startedAt) / 1000
  expect(seconds).toBeGreaterThan((await stat(target)).size / (10 * megabyte) - 1)
}, 60_000)

test('a copy does not pause while the log that it keeps is too long', async () => {
  const folder = await emptyFolder()
  const [file, draft] = [join(folder, 'a'), join(folder, 'draft')]
  await writeFile(`${file}-wal`, '')
  await writeFile(draft, '')
  const pacer = new Pacer(file, draft, { bytesPerSecond: megabyte, maxLogBytes: megabyte })
  const took = (code: () => void) => {
    const startedAt = performance.now()
    code()
    return performance.now() - startedAt
  }
  expect(took(() => pacer.afterStep())).toBeGreaterThan(900)
  await truncate(`${file}-wal`, megabyte)
  expect(took(() => pacer.afterStep())).toBeLessThan(500)
  pacer.close()
})
