import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#platform/db/database.ts'
import { temporaryFolder } from '#test/support/temporary-folder.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { openSqlite } from './open-sqlite.ts'

describe('a checkpoint', () => {
  let folder = ''
  let file = ''
  let db: Database
  let other: DatabaseSync
  let lines: string[] = []
  let units = 0

  beforeEach(async () => {
    // On a busy disk, a checkpoint falls behind the units, and the log grows without a long read.
    folder = await temporaryFolder('parley-test-', 'memory')
    file = join(folder, 'parley.sqlite')
    lines = []
    units = 0
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
    await migrateSqlite({ file, log })
    db = openSqlite({ file, log, maxLogPages: 200 })
    other = new DatabaseSync(file, { readOnly: true })
  })
  afterEach(async () => {
    other.close()
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Adds about five pages to the log. */
  const addRow = () => {
    units += 1
    const name = `${units}-${'x'.repeat(16_000)}`
    return db.write((tx) => tx.insertInto('sequences').values({ name, next_value: 1 }).execute())
  }
  const addRows = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: 16 }, addRow))
  }
  const pages = () => {
    using raw = new DatabaseSync(file)
    return Number(raw.prepare('pragma wal_checkpoint(noop)').get()?.log)
  }
  const stored = () =>
    Number(other.prepare('select count(*) as n from sequences where next_value = 1').get()?.n)

  test('begins the log again while units are written', async () => {
    let again = 0
    for (let before = 0; again < 3;) {
      await addRows(1)
      const now = pages()
      if (now < before) again += 1
      before = now
    }
    expect(stored()).toBe(units)
    expect(lines).toEqual([])
  })

  test('waits for a long read, during which the log grows, and is repeated after it', async () => {
    other.exec('begin')
    const before = stored()
    const warning = 'the write-ahead log grows while a long read uses it'
    while (!lines.some((line) => line.includes(warning))) await addRows(1)
    expect(pages()).toBeGreaterThan(800)
    expect(stored()).toBe(before)
    other.exec('commit')
    while (pages() > 200) await addRows(1)
    expect(stored()).toBe(units)
  })

  test('that runs when the database closes does not delay it and loses nothing', async () => {
    await addRows(4)
    await db.close()
    db = openSqlite({ file, log: pino({ level: 'silent' }) })
    expect(stored()).toBe(units)
    expect(lines).toEqual([])
  })
})
