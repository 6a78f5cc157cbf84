import { expect, test } from 'vitest'
import { Fault } from '#kernel/fault.ts'
import { describeEngines } from '#test/support/databases/engines.ts'

describeEngines('the database port', (engine) => {
  const add = (name: string, next: number) =>
    engine
      .database()
      .write((tx) => tx.insertInto('sequences').values({ name, next_value: next }).execute())
  const read = async (name: string) => {
    const row = await engine
      .database()
      .read.selectFrom('sequences')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    return row
  }

  test('reads return the writes of earlier units, as plain objects with numbers', async () => {
    await add('plain', 1_790_000_000_123)
    const row = await read('plain')
    expect(row).toStrictEqual({ name: 'plain', next_value: 1_790_000_000_123 })
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
  })

  test('a unit that throws is rolled back without affecting others', async () => {
    const units = Array.from({ length: 100 }, (_, index) =>
      engine.database().write(async (tx) => {
        await tx
          .insertInto('sequences')
          .values({ name: `u${index}`, next_value: index })
          .execute()
        if (index === 50) throw new Error('the culprit')
      }),
    )
    const outcomes = await Promise.allSettled(units)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(await read('u50')).toBeUndefined()
    expect(await read('u51')).toBeDefined()
  })

  test('a unit inside a unit is refused', async () => {
    const db = engine.database()
    const nested = db.write(() => db.write(async () => undefined))
    await expect(nested).rejects.toThrow('must not begin another')
  })

  test('a duplicate unique value is the same fault on both engines', async () => {
    await add('unique', 1)
    const again = add('unique', 2)
    await expect(again).rejects.toThrow(Fault)
    await expect(again).rejects.toMatchObject({ code: 'unique_violation' })
  })

  test('parameters that are not primitives never reach the engine', async () => {
    const list = [1] as unknown as number // what a forgotten serialisation looks like
    await expect(add('list', list)).rejects.toThrow('primitives only')
    const flag = true as unknown as number // a flag is 0 or 1 here
    await expect(add('flag', flag)).rejects.toThrow('primitives only')
  })

  test('fifty units that each read and write a counter lose no update', async () => {
    await add('counter', 0)
    const other = engine.another()
    const bump = (db: typeof other) =>
      db.write(async (tx) => {
        const { next_value } = await tx
          .selectFrom('sequences')
          .select('next_value')
          .where('name', '=', 'counter')
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('sequences')
          .set({ next_value: next_value + 1 })
          .where('name', '=', 'counter')
          .execute()
      })
    const databases = [engine.database(), other]
    await Promise.all(Array.from({ length: 50 }, (_, index) => bump(databases[index % 2]!)))
    await other.close()
    expect(await read('counter')).toMatchObject({ next_value: 50 })
  })

  test('a scan returns the same rows as a read', async () => {
    const rows = await engine.database().scan.selectFrom('sequences').selectAll().execute()
    expect(rows).toEqual(await engine.database().read.selectFrom('sequences').selectAll().execute())
  })
})
