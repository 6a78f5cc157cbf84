import { CompiledQuery, sql, type Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { kyselyOn } from './kysely-on.ts'
import { prepareStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'

let compiled = 0

const insert = (db: Kysely<Schema>, given: { name: string; next: number }) =>
  db
    .insertInto('sequences')
    .values({ name: given.name, next_value: given.next })
    .returning(['name', 'next_value'])

const find = (db: Kysely<Schema>, given: { name: string }) => {
  compiled += 1
  return db.selectFrom('sequences').select('next_value').where('name', '=', given.name)
}

const doubled = (_: Kysely<Schema>, given: { name: string }) =>
  sql<{ doubled: number }>`
    select next_value * 2 as doubled from sequences where name = ${given.name} and 'b' <> ${'a'}`

const addOne = (db: Kysely<Schema>, given: { name: string }) =>
  db
    .updateTable('sequences')
    .set((row) => ({ next_value: row('next_value', '+', 1) }))
    .where('name', '=', given.name)
    .returning('next_value')

/** A row that is stored only once: the name is used twice, between other values. */
const insertOnce = (db: Kysely<Schema>, given: { name: string; next: number }) =>
  sql<{ name: string; next_value: number }>`
    insert into sequences (name, next_value)
    select cast(${given.name} as text), cast(${given.next} as bigint)
    where not exists (select 1 from sequences where name = ${given.name}) and ${'b'} <> ${'a'}
    returning name, next_value`.compile(db)

describeEngines('a prepared statement', (engine) => {
  test('is compiled once and returns the same rows as Kysely', async () => {
    const db = engine.database()
    const before = compiled
    expect(await db.prepared(insert).write({ name: 'p-one', next: 1_790_000_000_123 })).toEqual([
      { name: 'p-one', next_value: 1_790_000_000_123 },
    ])
    await db.prepared(insert).write({ name: 'p-two', next: 2 })
    expect(await db.prepared(find).read({ name: 'p-one' })).toStrictEqual([
      { next_value: 1_790_000_000_123 },
    ])
    expect(await db.prepared(find).read({ name: 'p-two' })).toEqual([{ next_value: 2 }])
    expect(await db.prepared(find).read({ name: 'p-none' })).toEqual([])
    expect(compiled - before).toBe(1)
  })

  test('joins the given unit', async () => {
    const db = engine.database()
    const failing = db.write(async (tx) => {
      await db.prepared(insert).within(tx, { name: 'p-within', next: 1 })
      expect(await db.prepared(find).within(tx, { name: 'p-within' })).toEqual([{ next_value: 1 }])
      throw new Error('taken back')
    })
    await expect(failing).rejects.toThrow('taken back')
    expect(await db.prepared(find).read({ name: 'p-within' })).toEqual([])
  })

  test('can be raw SQL with constants and values', async () => {
    const db = engine.database()
    await db.prepared(insert).write({ name: 'p-raw', next: 21 })
    const statement = (on: Kysely<Schema>, given: { name: string }) =>
      doubled(on, given).compile(on)
    expect(await db.prepared(statement).read({ name: 'p-raw' })).toEqual([{ doubled: 42 }])
  })

  test('outside a unit fails and refuses like a unit', async () => {
    const db = engine.database()
    await db.prepared(insert).write({ name: 'p-unique', next: 1 })
    const again = db.prepared(insert).write({ name: 'p-unique', next: 2 })
    await expect(again).rejects.toMatchObject({ code: 'unique_violation' })
    const list = [1] as unknown as number // what a forgotten serialisation looks like
    await expect(db.prepared(insert).write({ name: 'p-list', next: list })).rejects.toThrow(
      'primitives only',
    )
    const nested = db.write(() => db.prepared(insert).write({ name: 'p-nested', next: 1 }))
    await expect(nested).rejects.toThrow('must not begin another')
    const beside = db.write(() => db.prepared(find).read({ name: 'p-nested' }))
    await expect(beside).rejects.toThrow('reads through its tx')
  })

  test('without one of its values is refused', async () => {
    const given = {} as { name: string } // what a renamed value looks like at run time
    await expect(engine.database().prepared(find).read(given)).rejects.toThrow('primitives only')
  })

  test('outside a unit is as isolated as a unit: a hundred of them lose no update', async () => {
    const db = engine.database()
    await db.prepared(insert).write({ name: 'p-count', next: 0 })
    const bump = (on: Kysely<Schema>, given: { name: string }) =>
      sql<{ next_value: number }>`
        update sequences set next_value = (select max(next_value) from sequences
          where name = ${given.name}) + 1
        where name = ${given.name} returning next_value`.compile(on)
    const seen = await Promise.all(
      Array.from({ length: 100 }, () => db.prepared(bump).write({ name: 'p-count' })),
    )
    expect(new Set(seen.map(([row]) => row?.next_value)).size).toBe(100)
  })

  test('by key shares its commit with others, and a failed one rolls back only itself', async () => {
    const db = engine.database()
    await db.prepared(insert).writeByKey({ name: 'k-7', next: 0 })
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        db.prepared(insert).writeByKey({ name: `k-${n}`, next: n }),
      ),
    )
    const failed = settled.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
    expect(failed).toEqual([7])
    expect(settled[7]).toMatchObject({ reason: { code: 'unique_violation' } })
    expect(settled[8]).toMatchObject({ value: [{ name: 'k-8', next_value: 8 }] })
    expect(await db.prepared(find).read({ name: 'k-19' })).toEqual([{ next_value: 19 }])
    expect(await db.prepared(find).read({ name: 'k-7' })).toEqual([{ next_value: 0 }])
  })

  test('by key sees the result of the previous one, in any process', async () => {
    const another = engine.another()
    try {
      const both = [engine.database(), another] as const
      await both[0].prepared(insert).writeByKey({ name: 'k-count', next: 0 })
      const seen = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          both[n % 2 === 0 ? 0 : 1].prepared(addOne).writeByKey({ name: 'k-count' }),
        ),
      )
      const counts = seen.map(([row]) => row?.next_value ?? 0)
      expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    } finally {
      await another.close()
    }
  })

  test('by key refuses the same input as a unit', async () => {
    const db = engine.database()
    const nested = db.write(() => db.prepared(insert).writeByKey({ name: 'k-nested', next: 1 }))
    await expect(nested).rejects.toThrow('must not begin another')
    const list = [1] as unknown as number // what a forgotten serialisation looks like
    await expect(db.prepared(insert).writeByKey({ name: 'k-list', next: list })).rejects.toThrow(
      'primitives only',
    )
  })

  test('by key may use a value in several places, among others', async () => {
    const db = engine.database()
    const values = { name: 'k-often', next: 3 }
    const rows = await db.prepared(insertOnce).writeByKey(values)
    expect(rows).toEqual([{ name: 'k-often', next_value: 3 }])
    expect(await db.prepared(insertOnce).writeByKey(values)).toEqual([])
    expect(await db.prepared(find).read({ name: 'k-often' })).toEqual([{ next_value: 3 }])
  })
})

test('PostgreSQL gets a value once that a statement by key uses several times, and no constants', async () => {
  const sent: [sql: string, values: readonly unknown[]][] = []
  const run = async (sql: string, values: readonly unknown[]) => {
    sent.push([sql, values])
    return []
  }
  const runners = { ...runnersOf(run), sendsFew: 'by key' as const }
  const prepared = prepareStatements(kyselyOn('postgres', never), runners)
  await prepared(insertOnce).writeByKey({ name: 'one', next: 2 })
  await prepared(insertOnce).write({ name: 'one', next: 2 })
  const [[once, values] = ['', []], [often, all] = ['', []]] = sent
  expect(values).toEqual(['one', 2])
  expect(all).toEqual(['one', 2, 'one', 'b', 'a'])
  expect([...once.matchAll(/\$\d/g)].flat()).toEqual(['$1', '$2', '$1'])
  const constants = often.replace('$4', `'b'`).replace('$5', `'a'`)
  expect(once).toBe(constants.replace('$3', '$1'))
})

test('SQLite gets a number only for a value that is used again', () => {
  const runners = { ...runnersOf(never), sendsFew: 'always' as const }
  const prepared = prepareStatements(kyselyOn('sqlite', never), runners)
  const { sql: text, values } = prepared(insertOnce).step({ name: 'one', next: 2 })
  expect([...text.matchAll(/\?\d*/g)].flat()).toEqual(['?', '?', '?1'])
  expect(values).toEqual(['one', 2])
  const inAnyOrder = (_: Kysely<Schema>, given: Record<'a' | 'b' | 'c', string>) =>
    CompiledQuery.raw('select ?2, ?1, ?3, ?2', [given.a, given.b, given.c])
  const step = prepared(inAnyOrder).step({ a: 'A', b: 'B', c: 'C' })
  expect(step).toMatchObject({ sql: 'select ?2, ?1, ?, ?2', values: ['A', 'B', 'C'] })
})

function runnersOf(run: (sql: string, values: readonly unknown[]) => Promise<readonly unknown[]>) {
  return {
    read: run,
    readShared: run,
    write: run,
    writeByKey: run,
    within: async () => [],
    later: async () => {},
  }
}

const never = () => Promise.reject(new Error('not a statement of the test'))
