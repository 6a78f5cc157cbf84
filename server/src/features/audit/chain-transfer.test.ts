import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '#config'
import { backupDatabase, restoreDatabase } from '#platform/db/backup-database.ts'
import type { Database, Engine } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { createVault } from '#platform/vault.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { recordSystemEvent, sealEvents, signedDatabase, verifyChains } from './index.ts'

const log = pino({ level: 'silent' })
const clock = { now: () => Date.parse('2026-05-06T07:08:09.012Z') }
const vault = createVault('5'.repeat(64))
const engines = inject('engines')
const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const))

const made: DatabaseSettings[] = []
const opened: Database[] = []
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-chain-'))
})

afterAll(async () => {
  for (const one of opened) await one.close()
  for (const one of made) await dropDatabase(one)
  await rm(folder, { recursive: true, force: true })
})

async function emptyDatabase(engine: Engine): Promise<DatabaseSettings> {
  const settings = await makeDatabase(engine)
  made.push(settings)
  return settings
}

function contextOn(settings: DatabaseSettings) {
  const db = openDatabase(settings, log)
  opened.push(db)
  return { db: signedDatabase(db, vault), clock, vault, log }
}

async function record({ db }: ReturnType<typeof contextOn>, workspaceId: string | null) {
  const detail = { text: 'größer — 😀', n: 1.5, none: null }
  const event = { workspaceId, action: 'change', target: null, detail }
  await db.write((tx) => recordSystemEvent(tx, clock.now(), event))
}

test.each(pairs)(
  'a chain from %s verifies and continues after its restore in %s',
  async (from, to) => {
    const source = await emptyDatabase(from)
    const before = contextOn(source)
    for (const workspaceId of ['w1', null, 'w1', 'w2']) await record(before, workspaceId)
    await sealEvents(before)
    await record(before, 'w1')
    const file = join(folder, `${from}-${to}`)
    await backupDatabase({ ...readConfig({}), ...source }, file)
    const target = await emptyDatabase(to)
    await restoreDatabase(target, file, { force: false, now: clock.now() })
    const after = contextOn(target)
    await record(after, 'w2')
    await sealEvents(after)
    const steps = await Array.fromAsync(verifyChains(after, null))
    expect(steps).toEqual([
      expect.objectContaining({ chain: 'instance', checked: 1 }),
      expect.objectContaining({ chain: 'w1', checked: 3 }),
      expect.objectContaining({ chain: 'w2', checked: 2 }),
    ])
  },
)
