import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  elapsed,
  holdFlushes,
  releaseFlushes,
  startFlushThread,
  watch,
} from '#test/support/databases/held-flushes.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { openSqlite } from './open-sqlite.ts'

const log = pino({ level: 'silent' })

describe('a flush on the event loop', () => {
  let folder = ''
  let file = ''
  let db: Database
  let lost: unknown[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    file = join(folder, 'parley.sqlite')
    lost = []
    await migrateSqlite({ file, log })
    db = openSqlite({ file, log, lost: (cause) => lost.push(cause) })
  })
  afterEach(async () => {
    releaseFlushes()
    vi.restoreAllMocks()
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })

  const add = (tx: Tx, name: string) =>
    tx.insertInto('sequences').values({ name, next_value: 0 }).execute()
  const names = async () =>
    (
      await db.read
        .selectFrom('sequences')
        .select('name')
        .where('name', '<>', 'agent_number')
        .execute()
    ).map(({ name }) => name)

  /** The unit of the only answer. */
  const lone = (name: string) => db.answer(() => db.write((tx) => add(tx, name)))

  /** @param now the clock that measures the flush */
  async function flushAlone(now: () => number) {
    const clock = vi.spyOn(performance, 'now').mockImplementation(now)
    await lone(`at ${now()}`)
    clock.mockRestore()
  }

  test('of the only answer takes no thread while the disk is fast', async () => {
    const disk = holdFlushes()
    await flushAlone(() => 0)
    let now = 0
    await flushAlone(() => (now += 10))
    expect(disk.requested()).toBe(0)
    const next = watch(lone('next'))
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    disk.release()
    await next.done
    expect(next.state).toBe('resolved')
  })

  test('of a service that rarely writes takes no thread, however its units run', async () => {
    const disk = holdFlushes()
    vi.spyOn(performance, 'now').mockReturnValue(0)
    await Promise.all([db.write((tx) => add(tx, 'a')), lone('b')])
    await db.write((tx) => add(tx, 'c'))
    expect(disk.requested()).toBe(0)
    expect((await names()).toSorted()).toEqual(['a', 'b', 'c'])
  })

  test('of a service that writes often takes the thread', async () => {
    const disk = holdFlushes()
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const units = Array.from(
      { length: 40 },
      (_, n) => async () => db.write((tx) => add(tx, `${n}`)),
    )
    const all = watch(
      units.reduce<Promise<unknown>>((before, unit) => before.then(unit), Promise.resolve()),
    )
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    disk.release()
    await all.done
    expect(all.state).toBe('resolved')
  })

  test('begins at once with the unit of the only answer, which waits for no other', async () => {
    const begun: string[] = []
    const unit = (name: string) =>
      db.write(async (tx) => {
        begun.push(name)
        return await add(tx, name)
      })
    const turn = async () => {
      await nextTurn()
      begun.push('next turn')
    }
    await Promise.all([turn(), db.answer(() => unit('alone'))])
    await Promise.all([
      db.answer(() => nextTurn()),
      turn(),
      db.answer(() => unit('one')),
      db.answer(() => unit('other')),
    ])
    expect(begun).toEqual(['alone', 'next turn', 'next turn', 'one', 'other'])
  })

  test('ends the turn of the event loop once the units of the only answer have used 5 ms of it', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    let turns = 0
    const over = new AbortController()
    const counting = (async () => {
      for (; !over.signal.aborted; turns += 1) await nextTurn()
    })()
    const turnsOfUnits: number[] = []
    await db.answer(async () => {
      for (let n = 0; n < 10; n += 1)
        await db.write(
          async (tx) => {
            turnsOfUnits.push(turns)
            await add(tx, `${n}`)
            now += 2
          },
          { flush: 'later' },
        )
    })
    over.abort()
    await counting
    expect(turnsOfUnits).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
  })

  test('of many commits uses the thread, however fast the disk was before', async () => {
    await flushAlone(() => 0)
    const disk = holdFlushes()
    await db.answer(async () => {
      for (let n = 0; n < 40; n += 1) await db.write((tx) => add(tx, `${n}`), { flush: 'later' })
      const unit = watch(db.write((tx) => add(tx, 'last')))
      await vi.waitFor(() => expect(disk.requested()).toBe(1))
      expect(unit.state).toBe('waits')
      disk.release()
      await unit.done
      expect(unit.state).toBe('resolved')
    })
  })

  test('of one answer among several leaves the event loop free', async () => {
    await startFlushThread(db)
    await flushAlone(() => 0)
    const disk = holdFlushes()
    const over = Promise.withResolvers<void>()
    const other = db.answer(() => over.promise)
    const unit = watch(lone('u'))
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    expect(unit.state).toBe('waits')
    over.resolve()
    disk.release()
    await Promise.all([unit.done, other])
  })

  test('that fails on the event loop is final, too', async () => {
    await flushAlone(() => 0)
    await rename(`${file}-wal`, `${file}-moved`)
    await expect(lone('u')).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    await expect(names()).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(lost).toHaveLength(1)
    await rename(`${file}-moved`, `${file}-wal`)
  })

  test('of a unit covers what its answer has read before, and not what it read meanwhile', async () => {
    await startFlushThread(db)
    const disk = holdFlushes()
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    const over = Promise.withResolvers<void>()
    const other = db.answer(() => over.promise)
    const answer = watch(
      db.answer(async () => {
        await names()
        const unit = db.write((tx) => add(tx, 'unit'))
        await vi.waitFor(() => expect(disk.requested()).toBe(1))
        await db.write((tx) => add(tx, 'meanwhile'), { flush: 'later' })
        await names()
        disk.releaseOne()
        await unit
      }),
    )
    await vi.waitFor(() => expect(disk.requested()).toBe(2))
    await elapsed()
    expect(answer.state).toBe('waits')
    disk.release()
    over.resolve()
    await Promise.all([answer.done, other])
    expect(answer.state).toBe('resolved')
  })
})
