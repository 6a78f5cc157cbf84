import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import type { Tx } from './database.ts'

describeEngines('a unit of work', (engine) => {
  const add = (tx: Tx, name: string, next = 0) =>
    tx.insertInto('sequences').values({ name, next_value: next }).execute()
  const names = async (prefix: string) =>
    (
      await engine
        .database()
        .read.selectFrom('sequences')
        .select('name')
        .where('name', 'like', `${prefix}%`)
        .orderBy('name')
        .execute()
    ).map(({ name }) => name)

  test('returns the result of its code', async () => {
    expect(await engine.database().write(async () => ({ of: 'the code' }))).toEqual({
      of: 'the code',
    })
  })

  test('sees its own writes, which others see only after its commit', async () => {
    const db = engine.database()
    await db.write(async (tx) => {
      await add(tx, 'own')
      expect(
        await tx.selectFrom('sequences').select('name').where('name', '=', 'own').execute(),
      ).toHaveLength(1)
    })
    expect(await names('own')).toEqual(['own'])
  })

  test('does not continue after a failed statement, even if its code catches the error', async () => {
    const db = engine.database()
    await db.write((tx) => add(tx, 'taken'))
    const careless = db.write(async (tx) => {
      await add(tx, 'before-the-failure')
      await add(tx, 'taken').catch(() => undefined)
    })
    await expect(careless).rejects.toMatchObject({ code: 'unique_violation' })
    expect(await names('before-the-failure')).toEqual([])
  })

  test('accepts no statement after its failure', async () => {
    const db = engine.database()
    await db.write((tx) => add(tx, 'there'))
    const going = db.write(async (tx) => {
      await add(tx, 'there').catch(() => undefined)
      await add(tx, 'after-the-failure')
    })
    await expect(going).rejects.toMatchObject({ code: 'unique_violation' })
    expect(await names('after-the-failure')).toEqual([])
  })

  test('invalidates its tx at its end', async () => {
    const db = engine.database()
    let leaked: Tx | undefined
    await db.write(async (tx) => {
      leaked = tx
    })
    await expect(add(leaked!, 'leaked')).rejects.toThrow('outside its unit')
    expect(await names('leaked')).toEqual([])
  })

  test('prevents statements that it did not await from reaching the database later', async () => {
    const db = engine.database()
    let stray: Promise<unknown> | undefined
    await db.write(async (tx) => {
      stray = new Promise((resolve) => setTimeout(resolve, 20)).then(() => add(tx, 'stray'))
      stray.catch(() => undefined)
    })
    await expect(stray).rejects.toThrow('outside its unit')
    expect(await names('stray')).toEqual([])
  })

  test('that has ended does not stop its remaining code from starting new units', async () => {
    const db = engine.database()
    let later: Promise<unknown> | undefined
    await db.write(async () => {
      later = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
        db.write((tx) => add(tx, 'straggler')),
      )
    })
    await later
    expect(await names('straggler')).toEqual(['straggler'])
  })

  test('must not read outside its tx, where it would see another snapshot', async () => {
    const db = engine.database()
    for (const reader of [db.read, db.scan]) {
      const beside = db.write(() => reader.selectFrom('sequences').selectAll().execute())
      await expect(beside).rejects.toThrow('reads through its tx')
    }
  })

  test('can start several statements together', async () => {
    await engine
      .database()
      .write((tx) =>
        Promise.all(['together-a', 'together-b', 'together-c'].map((name) => add(tx, name))),
      )
    expect(await names('together')).toHaveLength(3)
  })

  test('is refused after the database was closed, and earlier ones are finished', async () => {
    const db = engine.another()
    const last = db.write((tx) => add(tx, 'last'))
    const closed = last.then(() => db.close())
    await closed
    await expect(db.write((tx) => add(tx, 'too-late'))).rejects.toThrow()
    expect(await names('last')).toEqual(['last'])
  })

  test('stores a text with U+0000 in the same way on both engines', async () => {
    await engine.database().write((tx) => add(tx, 'nul-\u0000-inside'))
    expect(await names('nul-')).toEqual(['nul-\uFFFD-inside'])
  })

  test('refuses NaN and infinite numbers', async () => {
    for (const nothing of [Number.NaN, Number.POSITIVE_INFINITY])
      await expect(engine.database().write((tx) => add(tx, 'nan', nothing))).rejects.toThrow(
        'not finite',
      )
  })

  test('whose check was invalidated by another unit runs again', async () => {
    // Write skew: each sees room for one more, and only one may take it.
    const db = engine.database()
    const other = engine.another()
    let runs = 0
    const bothLooked = Promise.withResolvers<void>()
    const take = (through: typeof db, name: string) =>
      through.write(async (tx) => {
        const taken = await tx
          .selectFrom('sequences')
          .select('name')
          .where('name', 'like', 'seat-%')
          .execute()
        runs += 1
        // Both look before either takes the slot; on SQLite the second waits instead.
        if (runs === 2) bothLooked.resolve()
        if (engine.name === 'postgres') await bothLooked.promise
        if (taken.length === 0) await add(tx, name)
        return taken.length === 0
      })
    const won = await Promise.all([take(db, 'seat-a'), take(other, 'seat-b')])
    await other.close()
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await names('seat-')).toHaveLength(1)
    if (engine.name === 'postgres') expect(runs).toBeGreaterThan(2)
  })
})
