import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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

describe('a flush beside the event loop', () => {
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
    await startFlushThread(db)
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

  test('comes before the result of a unit, and after its commit', async () => {
    const disk = holdFlushes()
    const unit = watch(db.write((tx) => add(tx, 'u')))
    const other = new DatabaseSync(file, { readOnly: true })
    await vi.waitFor(() => expect(count(other)).toBe(1))
    other.close()
    await elapsed()
    expect(unit.state).toBe('waits')
    disk.release()
    await unit.done
    expect(unit.state).toBe('resolved')
  })

  test('comes before the error of a unit, which may be about a commit that is not flushed', async () => {
    const disk = holdFlushes()
    const first = watch(db.write((tx) => add(tx, 'taken')))
    const second = watch(db.write((tx) => add(tx, 'taken')))
    await elapsed()
    expect([first.state, second.state]).toEqual(['waits', 'waits'])
    disk.release()
    await Promise.all([first.done, second.done])
    expect([first.state, second.state]).toEqual(['resolved', 'rejected'])
  })

  test('is shared by all commits that were made while another one ran', async () => {
    const disk = holdFlushes()
    const first = watch(db.write((tx) => add(tx, 'u-0')))
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    const rest = []
    for (let at = 1; at <= 20; at += 1) {
      rest.push(watch(db.write((tx) => add(tx, `u-${at}`))))
      await elapsed(1)
    }
    expect(disk.requested()).toBe(1)
    disk.release()
    await Promise.all([first, ...rest].map(({ done }) => done))
    expect(disk.requested()).toBe(2)
  })

  test('is not needed by a unit that may be flushed later, and covers it when another needs it', async () => {
    const disk = holdFlushes()
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    expect(disk.requested()).toBe(0)
    disk.release()
    await db.write((tx) => add(tx, 'now'))
    expect(await names()).toEqual(['later', 'now'])
    // One for both units, and none for a read of what is on the disk.
    expect(disk.requested()).toBe(1)
  })

  test.each(['read', 'scan'] as const)('comes before the rows of a %s', async (source) => {
    const disk = holdFlushes()
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    const read = watch(db[source].selectFrom('sequences').select('name').execute())
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    await elapsed()
    expect(read.state).toBe('waits')
    disk.release()
    await read.done
    expect(read.state).toBe('resolved')
  })

  test('comes before an answer that contains a commit, while the code continues', async () => {
    const disk = holdFlushes()
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    const seen: string[] = []
    const answer = watch(db.answer(async () => void seen.push(...(await names()))))
    await vi.waitFor(() => expect(seen).toEqual(['later']))
    await elapsed()
    expect(answer.state).toBe('waits')
    disk.release()
    await answer.done
    expect(answer.state).toBe('resolved')
  })

  test('comes before an error that is the answer', async () => {
    const disk = holdFlushes()
    const answer = watch(
      db.answer(async () => {
        await db.write((tx) => add(tx, 'later'), { flush: 'later' })
        throw new Error('no model')
      }),
    )
    await elapsed()
    expect(answer.state).toBe('waits')
    disk.release()
    await answer.done
    expect(answer.state).toBe('rejected')
  })

  test('comes before each part of an answer that is sent in parts, and before later reads', async () => {
    const disk = holdFlushes()
    const unsent = Promise.withResolvers<void>()
    let late: ReturnType<typeof watch> | null = null
    await db.answer(async () => {
      expect(db.readsFlushed()).toBeNull()
      void unsent.promise.then(() => (late = watch(names())))
    })
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    unsent.resolve()
    await elapsed()
    expect(late).toMatchObject({ state: 'waits' })
    const part = db.answer(async () => {
      await names()
      return watch(db.readsFlushed() ?? Promise.resolve())
    })
    disk.release()
    expect(await part).toMatchObject({ state: 'resolved' })
  })

  test('does not delay an answer that has read nothing, or only what is on the disk', async () => {
    await db.write((tx) => add(tx, 'first'))
    const disk = holdFlushes()
    await db.answer(names)
    const waiting = watch(db.write((tx) => add(tx, 'second')))
    await db.answer(() => Promise.resolve())
    expect(waiting.state).toBe('waits')
    disk.release()
    await waiting.done
  })

  test('covers what another process has committed, before a read of it returns', async () => {
    const other = new DatabaseSync(file)
    other.exec('pragma synchronous = normal')
    const disk = holdFlushes()
    other.exec("insert into sequences values ('theirs', 0)")
    other.close()
    const alone = watch(names())
    const answer = watch(db.answer(names))
    await elapsed()
    expect([alone.state, answer.state]).toEqual(['waits', 'waits'])
    disk.release()
    await Promise.all([alone.done, answer.done])
    expect([alone.state, answer.state]).toEqual(['resolved', 'resolved'])
  })

  test('comes before each part of an answer that continues after its request', async () => {
    const disk = holdFlushes()
    await db.write((tx) => add(tx, 'later'), { flush: 'later' })
    const over = Promise.withResolvers<void>()
    const waits: boolean[] = []
    const produce = async () => {
      // Its request has read.
      waits.push(db.readsFlushed() !== null)
      await over.promise
      waits.push(db.readsFlushed() !== null)
      await db.write((tx) => add(tx, 'more'), { flush: 'later' })
      await names()
      waits.push(db.readsFlushed() !== null)
    }
    let producing = Promise.resolve()
    const request = db.answer(async () => {
      await names()
      producing = db.answerInParts(produce)
    })
    await vi.waitFor(() => expect(disk.requested()).toBe(1))
    disk.releaseOne()
    await request
    over.resolve()
    await vi.waitFor(() => expect(waits).toEqual([true, false, true]))
    disk.release()
    await producing
  })

  test('that fails is final: its units fail, no more are accepted, and the process ends', async () => {
    await rename(`${file}-wal`, `${file}-moved`)
    const units = await Promise.allSettled([1, 2].map((n) => db.write((tx) => add(tx, `u-${n}`))))
    for (const unit of units)
      expect(unit).toMatchObject({ reason: { code: 'database_unavailable' } })
    await expect(db.write((tx) => add(tx, 'more'))).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    // They are in the log, but may be on no disk.
    await expect(names()).rejects.toMatchObject({ code: 'database_unavailable' })
    await expect(db.answer(names)).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(lost).toHaveLength(1)
    await rename(`${file}-moved`, `${file}-wal`)
  })

  test('of a log that another file has replaced fails', async () => {
    await rename(`${file}-wal`, `${file}-moved`)
    await writeFile(`${file}-wal`, '')
    await expect(db.write((tx) => add(tx, 'u'))).rejects.toMatchObject({
      code: 'database_unavailable',
      cause: { message: 'the write-ahead log was deleted or replaced while it was in use' },
    })
    expect(lost).toHaveLength(1)
    await rename(`${file}-moved`, `${file}-wal`)
  })
})

function count(raw: DatabaseSync): number {
  return Number(
    raw.prepare("select count(*) as count from sequences where name = 'u'").get()?.count,
  )
}
