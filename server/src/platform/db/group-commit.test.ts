import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql, type Kysely } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database, Tx } from './database.ts'
import type { Schema } from './schema.ts'
import { migrateSqlite } from './sqlite/migrate-sqlite.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly units?: number
}

describe('a group commit', () => {
  let folder = ''
  let file = ''
  let db: Database
  let lines: Line[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    file = join(folder, 'parley.sqlite')
    lines = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    await migrateSqlite({ file, log })
    db = openSqlite({ file, log })
    // The first unit prepares its statements, which on a busy machine takes a whole commit's time.
    await db.write((tx) => add(tx, 'first'))
    lines = []
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })

  const add = async (tx: Tx, name: string) => {
    await tx.insertInto('sequences').values({ name, next_value: 0 }).execute()
  }
  const names = async () => {
    const rows = await db.read
      .selectFrom('sequences')
      .select('name')
      .where('name', 'like', 'u-%')
      .orderBy(sql`rowid`)
      .execute()
    return rows.map(({ name }) => name)
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `u-${index}`)
  /** Every statement succeeds and the commit fails, which only a deferred constraint can do. */
  const failAtCommit = async (tx: Tx) => {
    await sql`pragma defer_foreign_keys = on`.execute(tx)
    const row = { workspace_id: 'none', user_id: 'none', role: 'owner', created_at: 0 }
    await tx.insertInto('memberships').values(row).execute()
  }

  test('runs units in the order of their arrival', async () => {
    await Promise.all(many(100).map((name) => db.write((tx) => add(tx, name))))
    expect(await names()).toEqual(many(100))
  })

  test('commits all waiting units at once', async () => {
    const watching = new DatabaseSync(file)
    const commits = () => Number(watching.prepare('pragma data_version').get()?.data_version)
    // data_version changes once for any number of commits, so this counts intermediate states.
    const before = commits()
    let between = 0
    const units = many(50).map((name) =>
      db.write(async (tx) => {
        await add(tx, name)
        if (commits() !== before) between += 1
      }),
    )
    await Promise.all(units)
    expect(between).toBe(0)
    expect(commits()).not.toBe(before)
    watching.close()
  })

  describe('while other answers are produced', () => {
    let watching: DatabaseSync
    let seen: number[]
    let finish: () => void
    let others: Promise<void>

    beforeEach(() => {
      // On a busy machine, a few turns can take longer than a commit gathers.
      vi.useFakeTimers({ toFake: ['performance'] })
      watching = new DatabaseSync(file)
      seen = []
      const { promise, resolve } = Promise.withResolvers<void>()
      finish = resolve
      // More than there are units: each commit could wait for another one.
      others = Promise.all(many(20).map(() => db.answer(() => promise))).then(() => undefined)
    })
    afterEach(async () => {
      finish()
      await others
      watching.close()
      vi.useRealTimers()
    })

    /** Notes which commits the unit can see. */
    const unitAfter = async (turns: number, name: string) => {
      for (let turn = 0; turn < turns; turn += 1) await new Promise((next) => setImmediate(next))
      await db.write(async (tx) => {
        await add(tx, name)
        seen.push(Number(watching.prepare('pragma data_version').get()?.data_version))
      })
    }
    /** How many units each commit has, in order. */
    const sizes = () => [...Map.groupBy(seen, (version) => version).values()].map((of) => of.length)

    test('gathers units of two turns of the event loop', async () => {
      await Promise.all([unitAfter(0, 'u-0'), unitAfter(1, 'u-1')])
      expect(sizes()).toEqual([2])
    })

    test('gathers for up to eight turns that each bring a unit', async () => {
      await Promise.all(many(10).map((name, turn) => unitAfter(turn, name)))
      expect(sizes()[0]).toBe(8)
      expect(await names()).toEqual(many(10))
    })

    test('gathers for no longer than 20 ms', async () => {
      const units = many(10).map((name, turn) => unitAfter(turn, name))
      for (let turn = 0; turn < 3; turn += 1) await new Promise((next) => setImmediate(next))
      vi.advanceTimersByTime(20)
      await Promise.all(units)
      expect(sizes()[0]).toBe(4)
    })

    test('does not gather for more than a turn when the commit before left units', async () => {
      const long = db.write(async (tx) => {
        await add(tx, 'u-0')
        seen.push(0)
        vi.advanceTimersByTime(21)
      })
      const left = unitAfter(0, 'u-1')
      const later = [4, 5, 6, 7, 8, 9, 10].map((turn) => unitAfter(turn, `u-${turn}`))
      await Promise.all([long, left, ...later])
      expect(sizes()[0]).toBe(1)
      expect(sizes()[1]).toBeLessThan(4)
    })

    test('does not wait after a turn that brings none', async () => {
      await Promise.all([unitAfter(0, 'u-0'), unitAfter(2, 'u-1')])
      expect(sizes()).toEqual([1, 1])
    })

    test('waits for no later turn if no other answer could bring a unit', async () => {
      finish()
      await others
      const answered = many(2).map((name) => db.answer(() => unitAfter(0, name)))
      await Promise.all([...answered, unitAfter(1, 'u-2')])
      expect(sizes()).toEqual([2, 1])
    })
  })

  test('no unit resolves before the commit', async () => {
    const watching = new DatabaseSync(file)
    const isThere = watching.prepare('select count(*) as count from sequences where name = ?')
    const seen = await Promise.all(
      many(20).map(async (name) => {
        await db.write((tx) => add(tx, name))
        return isThere.get(name)?.count
      }),
    )
    watching.close()
    expect(seen).toEqual(many(20).map(() => 1))
  })

  test('that fails is repeated unit by unit, and only the failing unit is rejected', async () => {
    const runs = new Map<string, number>()
    const outcomes = await Promise.allSettled(
      many(10).map((name) =>
        db.write(async (tx) => {
          runs.set(name, (runs.get(name) ?? 0) + 1)
          await add(tx, name)
          if (name === 'u-4') await failAtCommit(tx)
        }),
      ),
    )
    const failed = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
    expect(failed).toEqual([4])
    expect(await names()).toEqual(many(10).filter((name) => name !== 'u-4'))
    // On a busy machine the failed commit may not include the last units.
    expect(many(5).map((name) => runs.get(name))).toEqual([2, 2, 2, 2, 2])
    expect(lines).toMatchObject([{ units: 10, msg: 'a group commit failed; units run alone' }])
  })

  test('with a failing unit is repeated with savepoints, and only that unit is rejected', async () => {
    const runs = new Map<string, number>()
    const batch = (prefix: string) =>
      Promise.allSettled(
        many(10).map((name) =>
          db.write(async (tx) => {
            runs.set(prefix + name, (runs.get(prefix + name) ?? 0) + 1)
            await add(tx, name + prefix)
            if (name === 'u-4') throw new Error('changed its mind')
          }),
        ),
      )
    const first = await batch('-a')
    const second = await batch('-b')
    const failed = (outcomes: typeof first) =>
      outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
    expect([failed(first), failed(second)]).toEqual([[4], [4]])
    const others = many(10).filter((name) => name !== 'u-4')
    expect(await names()).toEqual(['-a', '-b'].flatMap((end) => others.map((name) => name + end)))
    expect(runs.get('-au-4')).toBe(2)
    // These have savepoints from the start.
    expect(many(10).map((name) => runs.get(`-b${name}`))).toEqual(Array(10).fill(1))
  })

  test('a single unit that fails at its commit writes nothing, and the next one runs', async () => {
    await expect(db.write(failAtCommit)).rejects.toThrow('FOREIGN KEY')
    await db.write((tx) => add(tx, 'u-next'))
    expect(await names()).toEqual(['u-next'])
  })

  test('leaves units for the next commit after a long time, so that other work can run', async () => {
    let turns = 0
    const counting = setInterval(() => (turns += 1), 1)
    const slow = many(20).map((name) =>
      db.write(async (tx) => {
        await add(tx, name)
        const until = performance.now() + 10
        while (performance.now() < until);
      }),
    )
    await Promise.all(slow)
    clearInterval(counting)
    expect(turns).toBeGreaterThan(3)
    expect(await names()).toEqual(many(20))
  })

  test('a unit that blocks the database for long is logged', async () => {
    await db.write(async () => {
      await new Promise((resolve) => setTimeout(resolve, 80))
    })
    expect(lines).toMatchObject([{ msg: 'a unit of work held the database for long' }])
  })

  const inserting = (database: Kysely<Schema>, given: { readonly name: string }) =>
    database.insertInto('sequences').values({ name: given.name, next_value: 0 })

  /** Each takes many times as long as a unit runs without a pause. */
  const longUnits: Record<string, () => Promise<unknown>> = {
    'of statements': () =>
      db.write(async (tx) => {
        for (let at = 0; at < 20_000; at += 1) await add(tx, `u-${at}`)
      }),
    'of prepared statements': () =>
      db.write(async (tx) => {
        for (let at = 0; at < 100_000; at += 1)
          await db.prepared(inserting).within(tx, { name: `u-${at}` })
      }),
    'of steps': () =>
      db.writeAll(
        Array.from({ length: 100_000 }, (_, at) =>
          db.prepared(inserting).step({ name: `u-${at}` }),
        ),
      ),
  }

  test.each(Object.keys(longUnits))(
    'a long unit %s lets other work run between them, and reads see it only as a whole',
    async (kind) => {
      const seen: number[] = []
      const over = new AbortController()
      const looking = (async () => {
        while (!over.signal.aborted) {
          await new Promise((resolve) => setImmediate(resolve))
          seen.push((await names()).length)
        }
      })()
      await longUnits[kind]!()
      over.abort()
      await looking
      expect(seen.length).toBeGreaterThan(8)
      expect(new Set(seen.slice(0, -2))).toEqual(new Set([0]))
    },
  )

  test('a row id beyond 2^53 does not break later statements', async () => {
    await db.write(async (tx) => {
      await sql`create table big (id integer primary key)`.execute(tx)
      await sql`insert into big values (${2n ** 60n})`.execute(tx)
    })
    await db.write((tx) => add(tx, 'u-after'))
    expect(await names()).toEqual(['u-after'])
  })
})
