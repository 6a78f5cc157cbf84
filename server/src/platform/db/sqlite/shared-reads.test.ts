import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely, QueryResult } from 'kysely'
import pino from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import {
  elapsed,
  holdFlushes,
  releaseFlushes,
  startFlushThread,
  watch,
} from '#test/support/databases/held-flushes.ts'
import type { Tx } from '#platform/db/database.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { openSqlite } from './open-sqlite.ts'
import type { Schema } from '#platform/db/schema.ts'
import { unchangedReads } from './unchanged-reads.ts'

const set = (db: Kysely<Schema>, given: { name: string; value: number }) =>
  db
    .insertInto('sequences')
    .values({ name: given.name, next_value: given.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ next_value: given.value }))

const find = (db: Kysely<Schema>, given: { name: string }) =>
  db.selectFrom('sequences').select('next_value').where('name', '=', given.name)

describeEngines('a shared read', (engine) => {
  test('returns what any connection committed before the call', async () => {
    const another = engine.another()
    try {
      const databases = [engine.database(), another]
      for (let value = 0; value < 40; value += 1) {
        await databases[value % 2]?.prepared(set).write({ name: 'shared', value })
        for (const db of databases) {
          const rows = await db.prepared(find).readShared({ name: 'shared' })
          expect(rows).toEqual([{ next_value: value }])
        }
      }
    } finally {
      await another.close()
    }
  })

  test('has the rows of its own values, and shares them with calls at the same time', async () => {
    const db = engine.database()
    for (const value of [1, 2]) await db.prepared(set).write({ name: `of ${value}`, value })
    const read = (name: string) => db.prepared(find).readShared({ name })
    expect(await read('of 1')).toEqual([{ next_value: 1 }])
    const [one, two, again] = await Promise.all([read('of 1'), read('of 2'), read('of 1')])
    expect(two).toEqual([{ next_value: 2 }])
    expect(again).toBe(one)
  })

  test('is refused inside a unit, and fails for every caller', async () => {
    const db = engine.database()
    const read = () => db.prepared(find).readShared({ name: 'x' })
    await expect(db.write(read)).rejects.toThrow('reads through its tx')
    const broken = (on: Kysely<Schema>, given: { name: string }) =>
      on
        .selectFrom('sequences')
        .select('next_value')
        .where('missing' as 'name', '=', given.name)
    const failing = () => db.prepared(broken).readShared({ name: 'x' })
    const outcomes = await Promise.allSettled([failing(), failing()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await read()).toEqual([])
  })
})

describe('rows that SQLite keeps', () => {
  test('remain after a commit of turns alone, and wait for its flush', async () => {
    const { db, close } = await openNew()
    await db.prepared(set).write({ name: 'kept', value: 1 })
    const read = () => db.prepared(find).readShared({ name: 'kept' })
    const before = await read()
    await startFlushThread(db)
    const disk = holdFlushes()
    await db.write(countNothing, { flush: 'later' })
    const later = watch(read())
    await elapsed()
    expect(later.state).toBe('waits')
    disk.release()
    expect(await read()).toBe(before)
    await db.write(async (tx) => {
      await countNothing(tx)
      await tx.updateTable('sequences').set({ next_value: 2 }).execute()
    })
    expect(await read()).toEqual([{ next_value: 2 }])
    await close()
  })

  test('are not those of the tables that turns change', async () => {
    const { db, close } = await openNew()
    const windows = (on: Kysely<Schema>, given: { id: string }) =>
      on.selectFrom('credit_windows').select('id').where('id', '=', given.id)
    const read = () => db.prepared(windows).readShared({ id: 'none' })
    expect(await read()).not.toBe(await read())
    await close()
  })

  test('are never older than a commit before the call', async () => {
    let version = '1'
    const slow = Promise.withResolvers<QueryResult<never>>()
    const later = [['new'], ['newest']].map(async (rows) => ({ rows: rows as never[] }))
    const answers = [slow.promise, ...later]
    const run = async <R>() => await (answers.shift() as Promise<QueryResult<R>>)
    const read = unchangedReads(run, {
      isAlone: true,
      refuse: () => undefined,
      version: () => version,
      afterRead: () => null,
    })
    const first = read('select', ['a'])
    await new Promise((resolve) => setImmediate(resolve))
    version = '2'
    expect(await read('select', ['b'])).toEqual(['new'])
    slow.resolve({ rows: ['old'] as never[] })
    expect(await first).toEqual(['old'])
    expect(await read('select', ['a'])).toEqual(['newest'])
  })
})

test('the calls of one turn share a look at the version, which comes after all of them', async () => {
  let version = 0
  let looks = 0
  const run = async () => ({ rows: [version as never] })
  const state = {
    isAlone: false,
    refuse: () => undefined,
    version() {
      looks += 1
      return String(version)
    },
    afterRead: () => null,
  }
  const read = unchangedReads(run, state)
  for (version = 1; version <= 3; version += 1) {
    const calls = [read('select', ['a']), read('select', ['b'])]
    // Committed before the last call, in the same turn.
    version += 0.5
    calls.push(read('select', ['a']))
    const [first, other, last] = await Promise.all(calls)
    expect(last).toEqual([version])
    expect([first, other]).toEqual([last, last])
    version -= 0.5
  }
  expect(looks).toBe(3)
})

/** A statement of turns that changes no row. */
const countNothing = (tx: Tx) =>
  tx.updateTable('credit_windows').set({ used_micros: 0 }).where('id', '=', 'none').execute()

async function openNew() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const file = join(folder, 'parley.sqlite')
  const log = pino({ level: 'silent' })
  await migrateSqlite({ file, log })
  const db = openSqlite({ file, log })
  const close = async () => {
    releaseFlushes()
    vi.restoreAllMocks()
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { db, close }
}
