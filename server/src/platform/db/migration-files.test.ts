import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readMigrations } from './migration-files.ts'

describe('migration files', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  }

  test("consist of the common text and the engine's own, in the order of their numbers", async () => {
    await write({
      '0010-late.sql': 'late;',
      '0002-both.sqlite.sql': 'own to SQLite;',
      '0002-both.postgres.sql': 'own to PostgreSQL;',
      '0002-both.sql': 'common;',
      '0001-only.postgres.sql': 'no SQLite;',
    })
    const texts = (engine: 'sqlite' | 'postgres') =>
      readMigrations(engine, folder).map(({ version, name, sql }) => [version, name, sql])
    expect(texts('sqlite')).toEqual([
      [1, 'only', ''],
      [2, 'both', 'common;own to SQLite;'],
      [10, 'late', 'late;'],
    ])
    expect(texts('postgres')).toEqual([
      [1, 'only', 'no SQLite;'],
      [2, 'both', 'common;own to PostgreSQL;'],
      [10, 'late', 'late;'],
    ])
  })

  test('with the same number and two names are refused', async () => {
    await write({ '0002-mine.sql': 'a;', '0002-yours.sql': 'b;' })
    expect(() => readMigrations('sqlite', folder)).toThrow('have one number')
  })

  test('with a name without a number or with an unknown engine are refused, not skipped', async () => {
    for (const name of ['2-short.sql', '0002-mine.mysql.sql', 'notes.md']) {
      await write({ [name]: '' })
      expect(() => readMigrations('sqlite', folder), name).toThrow('is no migration')
      await rm(join(folder, name))
    }
  })

  test('are the same with any line ending', async () => {
    await write({ '0001-a.sql': 'create;\ninsert;\n' })
    const [unix] = readMigrations('sqlite', folder)
    await write({ '0001-a.sql': 'create;\r\ninsert;\r\n' })
    const [windows] = readMigrations('sqlite', folder)
    expect(windows).toEqual(unix)
  })

  test('of this version contain no transactions, which would end the runner’s', () => {
    for (const engine of ['sqlite', 'postgres'] as const)
      for (const { name, sql } of readMigrations(engine))
        expect(sql, name).not.toMatch(/^\s*(?:begin|commit|rollback)(?:[ \t]+\w+)*\s*;/im)
  })
})
