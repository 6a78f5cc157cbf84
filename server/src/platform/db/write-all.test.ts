import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import type { Schema } from './schema.ts'

const insert = (db: Kysely<Schema>, given: { name: string; next: number }) =>
  db.insertInto('sequences').values({ name: given.name, next_value: given.next })

const raise = (db: Kysely<Schema>, given: { name: string }) =>
  db
    .updateTable('sequences')
    .set((row) => ({ next_value: row('next_value', '+', 1) }))
    .where('name', '=', given.name)
    .returning('next_value')

describeEngines('a unit of statements without code', (engine) => {
  const stored = async (prefix: string) =>
    await engine
      .database()
      .read.selectFrom('sequences')
      .select(['name', 'next_value as next'])
      .where('name', 'like', `${prefix}%`)
      .orderBy('name')
      .execute()
  const add = (name: string, next = 0) => engine.database().prepared(insert).step({ name, next })
  const raised = (name: string, orFail?: string) =>
    engine.database().prepared(raise).step({ name }, orFail)

  test('runs them in their order and stores what all of them change', async () => {
    const db = engine.database()
    await db.writeAll([add('all-1', 4), add('all-2'), raised('all-1')])
    expect(await stored('all-')).toEqual([
      { name: 'all-1', next: 5 },
      { name: 'all-2', next: 0 },
    ])
  })

  test('that fails stores nothing, and the units beside it store everything', async () => {
    const db = engine.database()
    await db.writeAll([add('beside-taken')])
    const settled = await Promise.allSettled([
      ...['a', 'b', 'c'].map((name) =>
        db.writeAll([
          add(`beside-${name}`),
          add(name === 'b' ? 'beside-taken' : `beside-${name}2`),
        ]),
      ),
      db.write((tx) => tx.insertInto('sequences').values({ name: 'beside-code', next_value: 0 }).execute()), // prettier-ignore
    ])
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(settled[1]).toMatchObject({ reason: { code: 'unique_violation' } })
    const names = (await stored('beside-')).map(({ name }) => name)
    expect(names).toEqual(['a', 'a2', 'c', 'c2', 'code', 'taken'].map((name) => `beside-${name}`))
  })

  test('fails with the given message if one of them finds no row that it needs', async () => {
    const db = engine.database()
    const failing = db.writeAll([
      add('needs-1'),
      raised('needs-none', 'it is gone'),
      add('needs-2'),
    ])
    await expect(failing).rejects.toThrow('it is gone')
    await db.writeAll([add('needs-3'), raised('needs-none'), raised('needs-3', 'it is gone')])
    expect(await stored('needs-')).toEqual([{ name: 'needs-3', next: 1 }])
  })

  test('is refused inside a unit, and with a value that no database takes', async () => {
    const db = engine.database()
    const nested = db.write(() => db.writeAll([add('inside')]))
    await expect(nested).rejects.toThrow('must not begin another')
    await expect(db.writeAll([add('inside', Number.NaN)])).rejects.toThrow('not finite')
    expect(await stored('inside')).toEqual([])
  })
})
