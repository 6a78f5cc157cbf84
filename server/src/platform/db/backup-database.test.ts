import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readConfig } from '#config'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { contentOf, fillWithSamples, lastChunk } from '#test/support/databases/sample-database.ts'
import { backupDatabase, restoreDatabase } from './backup-database.ts'
import type { Engine } from './database.ts'
import { migrate, openDatabase } from './open-database.ts'
import type { RestoreOptions } from './sqlite/sqlite-backup.ts'

const log = pino({ level: 'silent' })
const engines = inject('engines')
const settings: RestoreOptions = { force: false, now: Date.parse('2026-05-06T07:08:09.012Z') }

const made: DatabaseSettings[] = []
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backup-'))
})

afterAll(async () => {
  for (const one of made) await dropDatabase(one)
  await rm(folder, { recursive: true, force: true })
})

async function emptyDatabase(engine: Engine): Promise<DatabaseSettings> {
  const database = await makeDatabase(engine)
  made.push(database)
  return database
}

async function sampleDatabase(engine: Engine): Promise<DatabaseSettings> {
  const database = await emptyDatabase(engine)
  await fillWithSamples(database)
  return database
}

async function nextChunkId(database: DatabaseSettings): Promise<number> {
  const db = openDatabase(database, log)
  const { id } = await db.write((tx) =>
    tx
      .insertInto('knowledge_chunks')
      .values({
        source_id: 'knowledge_sources id 1',
        document_id: 'knowledge_documents id 1',
        agent_id: 'agents id 1',
        ordinal: 99,
        heading: '',
        text: 'new',
        token_count: 1,
        term_count: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await db.close()
  return id
}

let backups = 0

async function backupOf(database: DatabaseSettings): Promise<string> {
  const file = join(folder, `backup-${++backups}`)
  await backupDatabase({ ...readConfig({}), ...database }, file)
  return file
}

describe.each(engines)('a backup [%s]', (engine) => {
  test('restored into an empty database restores every row and every counter', async () => {
    const database = await sampleDatabase(engine)
    const file = await backupOf(database)
    const target = await emptyDatabase(engine)
    const restored = await restoreDatabase(target, file, settings)
    expect(restored).toMatchObject({ needsIndex: false, bytes: expect.any(Number) })
    expect(await contentOf(target)).toEqual(await contentOf(database))
    expect(await nextChunkId(target)).toBe(lastChunk + 1)
  })

  test('keeps its rules: the audit log cannot be changed after a restore either', async () => {
    const target = await emptyDatabase(engine)
    await restoreDatabase(target, await backupOf(await sampleDatabase(engine)), settings)
    const db = openDatabase(target, log)
    const changing = db.write((tx) =>
      tx.updateTable('audit_events').set({ action: 'nothing' }).execute(),
    )
    await expect(changing).rejects.toThrow('audit events are never changed')
    await db.close()
  })

  test('can be read only by its owner', async () => {
    const file = await backupOf(await emptyDatabase(engine))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('is a consistent snapshot while units continue', async () => {
    const database = await emptyDatabase(engine)
    const db = openDatabase(database, log)
    const stop = new AbortController()
    const writing = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        // A copy of one moment has both rows or none.
        await db.write(async (tx) => {
          await tx
            .insertInto('meta')
            .values({ key: `k${n}`, value: 'x' })
            .execute()
          await tx
            .insertInto('sequences')
            .values({ name: `k${n}`, next_value: n })
            .execute()
        })
      }
    })()
    const file = await backupOf(database)
    stop.abort()
    await writing
    await db.close()
    const target = await emptyDatabase(engine)
    await restoreDatabase(target, file, settings)
    const { meta = [], sequences = [] } = await contentOf(target)
    const pairs = sequences.map(([name]) => name).filter((name) => String(name).startsWith('k'))
    expect(pairs).toEqual(meta.map(([key]) => key))
  })

  test('replaces a database that contains data only when forced', async () => {
    const file = await backupOf(await sampleDatabase(engine))
    const target = await sampleDatabase(engine)
    await expect(restoreDatabase(target, file, settings)).rejects.toThrow('add --force')
    await restoreDatabase(target, file, { ...settings, force: true })
    expect(await contentOf(target)).toHaveProperty('users')
  })

  test.runIf(engine === 'postgres')(
    'is restored when a service that is just stopping has closed its connections',
    async () => {
      const file = await backupOf(await sampleDatabase(engine))
      const target = await emptyDatabase(engine)
      const db = openDatabase(target, log)
      await db.ping()
      const restoring = restoreDatabase(target, file, settings)
      await setTimeout(500)
      await db.close()
      await restoring
      expect(await contentOf(target)).toHaveProperty('users')
    },
  )

  test('is not restored under a service that has the database open', async () => {
    const file = await backupOf(await sampleDatabase(engine))
    const target = await emptyDatabase(engine)
    const db = openDatabase(target, log)
    await db.ping()
    const restoring = restoreDatabase(target, file, { ...settings, force: true })
    await expect(restoring).rejects.toThrow('stop it first')
    await db.close()
  })

  test('with a bit flipped anywhere, or its end missing, changes nothing', async () => {
    const good = await backupOf(await sampleDatabase(engine))
    const target = await emptyDatabase(engine)
    const before = await contentOf(target)
    const whole = await readFile(good)
    const bad = join(folder, 'damaged')
    for (let at = 0; at < 1; at += 0.05) {
      const flipped = Buffer.from(whole)
      flipped[Math.floor(whole.length * at)]! ^= 1
      await writeFile(bad, flipped)
      await expect(restoreDatabase(target, bad, settings), `${at}`).rejects.toThrow(/damaged|is no/)
    }
    for (const at of [0.01, 0.3, 0.9]) {
      await copyFile(good, bad)
      await truncate(bad, Math.floor(whole.length * at))
      await expect(restoreDatabase(target, bad, settings), `${at}`).rejects.toThrow(/damaged|is no/)
    }
    expect(await contentOf(target)).toEqual(before)
  })

  test.each(['', 'no backup at all'])('is distinguished from another file: %j', async (text) => {
    const file = join(folder, 'other')
    await writeFile(file, text)
    const restoring = restoreDatabase(await emptyDatabase(engine), file, settings)
    await expect(restoring).rejects.toThrow(/is no|holds no Parley/)
  })
})

describe.runIf(engines.length === 2)('a backup of one engine', () => {
  test.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const)('%s moves to %s, all but the full-text index', async (from, to) => {
    const database = await sampleDatabase(from)
    const file = await backupOf(database)
    const target = await emptyDatabase(to)
    const restored = await restoreDatabase(target, file, settings)
    expect(restored.needsIndex).toBe(true)
    await migrate(target, log)
    const [had, has] = [await contentOf(database), await contentOf(target)]
    const indexes = ['knowledge_postings', 'conversation_terms', 'conversation_documents']
    for (const index of indexes) delete had[index]
    expect(has).toEqual(had)
    expect(await nextChunkId(target)).toBe(lastChunk + 1)
  })
})

describe.runIf(engines.length === 2)('a copy file', () => {
  /** A copy with changed lines; `resealed` gives it a matching checksum. */
  async function altered(alter: (line: string) => string, resealed = false): Promise<string> {
    const packed = await readFile(await backupOf(await sampleDatabase('postgres')))
    const lines = gunzipSync(packed).toString().trimEnd().split('\n').map(alter)
    const { rows, sha256 } = JSON.parse(lines.pop() ?? '')
    const body = lines.join('\n') + '\n'
    const sum = resealed ? createHash('sha256').update(body).digest('hex') : sha256
    const file = join(folder, 'altered')
    await writeFile(file, gzipSync(`${body}${JSON.stringify({ rows, sha256: sum })}\n`))
    return file
  }

  test('of a schema newer than this version is refused', async () => {
    const newer = '"migrations":[{"version":9999,"name":"x","sha256":"y"},'
    const file = await altered((line) => line.replace('"migrations":[', newer), true)
    for (const engine of engines) {
      const restoring = restoreDatabase(await emptyDatabase(engine), file, settings)
      await expect(restoring).rejects.toThrow('newer than this version')
    }
  })

  test('with changed rows is refused because of its checksum', async () => {
    const file = await altered((line) => line.replace('users name 2', 'Eve'))
    const restoring = restoreDatabase(await emptyDatabase('postgres'), file, settings)
    await expect(restoring).rejects.toThrow('its checksum does not match')
  })
})
