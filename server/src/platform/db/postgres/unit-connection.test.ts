import { sql, type Kysely } from 'kysely'
import { Client, type PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'
import { UnitConnection } from './unit-connection.ts'

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('a connection for units', () => {
  let settings: DatabaseSettings
  let client: Client
  let connection: UnitConnection
  let packets = 0

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    client = new Client({ connectionString: settings.databaseUrl })
    await client.connect()
    const pool = {
      keepsStatements: true,
      ask: async <T>(_: unknown, question: () => Promise<T>) => {
        packets += 1
        return await question()
      },
    }
    // Only a pool could release it.
    connection = new UnitConnection(client as unknown as PoolClient, pool)
  })
  beforeEach(async () => {
    await client.query('delete from sequences')
    packets = 0
  })
  afterAll(async () => {
    await client.end()
    await dropDatabase(settings)
  })

  const add = (on: Kysely<Schema>, name: string) =>
    on.insertInto('sequences').values({ name, next_value: 0 })
  const addLater = (name: string) => {
    const { sql: text, parameters } = add(connection.tx, name).compile()
    connection.runLater(text, parameters as string[])
  }
  const names = async () =>
    (await client.query<{ name: string }>('select name from sequences order by name')).rows.map(
      ({ name }) => name,
    )
  const runUnit = <T>(run: (tx: Tx) => Promise<T>) =>
    connection.runUnit({ run, within: (call) => call() })
  const begin = () => connection.begin(['begin isolation level serializable'])

  test('sends what a unit starts together in one packet, with the beginning', async () => {
    begin()
    const found = await runUnit(async (tx) => {
      const [, rows] = await Promise.all([
        add(tx, 'one').execute(),
        tx.selectFrom('sequences').select('name').execute(),
      ])
      return rows
    })
    expect(found).toEqual([{ name: 'one' }])
    expect(packets).toBe(1)
    expect(await runUnit((tx) => tx.deleteFrom('sequences').executeTakeFirst())).toMatchObject({
      numDeletedRows: 1n,
    })
    await runUnit((tx) => add(tx, 'two').execute())
    await connection.commit()
    expect(packets).toBe(4)
    expect(await names()).toEqual(['two'])
  })

  test('sends at most 64 statements in a packet, in their order', async () => {
    begin()
    await runUnit(async (tx) => {
      const all = Array.from({ length: 100 }, (_, n) => add(tx, `of many ${n}`).execute())
      const last = tx.selectFrom('sequences').select('name').execute()
      await Promise.all(all)
      expect(await last).toHaveLength(100)
    })
    expect(packets).toBe(2)
    await connection.commit()
  })

  test('sends nothing for a unit without statements', async () => {
    begin()
    await runUnit(async () => undefined)
    await connection.commit()
    expect(packets).toBe(0)
  })

  test('sends a later statement with the next one or the commit, even after the end of its unit', async () => {
    begin()
    await runUnit(async () => addLater('of the first unit'))
    await runUnit(async (tx) => {
      const rows = await tx.selectFrom('sequences').select('name').execute()
      expect(rows).toEqual([{ name: 'of the first unit' }])
      addLater('with the commit')
    })
    expect(packets).toBe(1)
    await connection.commit()
    expect(packets).toBe(2)
    expect(await names()).toEqual(['of the first unit', 'with the commit'])
  })

  test('fails to commit if a later statement fails', async () => {
    begin()
    await runUnit(async (tx) => {
      await add(tx, 'taken').execute()
      addLater('taken')
    })
    await expect(connection.commit()).rejects.toMatchObject({ code: 'unique_violation' })
    await client.query('rollback')
    expect(await names()).toEqual([])
  })

  test('does not commit a unit of which a statement failed that nobody waited for', async () => {
    begin()
    let stray: Promise<unknown> = Promise.resolve()
    await runUnit(async (tx) => {
      await add(tx, 'taken').execute()
      stray = add(tx, 'taken').execute()
      stray.catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
    })
    await expect(stray).rejects.toMatchObject({ code: 'unique_violation' })
    await expect(connection.commit()).rejects.toThrow('rolled back')
    expect(await names()).toEqual([])
  })

  test('fails a unit whose later statement fails before its end', async () => {
    begin()
    const unit = runUnit(async (tx) => {
      await add(tx, 'taken').execute()
      addLater('taken')
      await add(tx, 'other').execute()
    })
    await expect(unit).rejects.toMatchObject({ code: 'unique_violation' })
    await client.query('rollback')
    expect(await names()).toEqual([])
  })

  test('prepares again what the server has not read because of an error before it', async () => {
    const count = () => sql<{ n: number }>`select count(*)::int as n from sequences`
    const both = async (tx: Tx, name: string) => {
      const [, { rows }] = await Promise.all([
        sql`insert into sequences values (${name}, 1)`.execute(tx),
        count().execute(tx),
      ])
      return rows
    }
    await client.query(`insert into sequences values ('taken', 0)`)
    for (const name of ['taken', 'taken', 'free']) {
      begin()
      const outcome = await Promise.allSettled([runUnit((tx) => both(tx, name))])
      expect(outcome).toMatchObject([
        name === 'free'
          ? { value: [{ n: 2 }] }
          : { reason: expect.objectContaining({ code: 'unique_violation' }) },
      ])
      await client.query('rollback')
    }
  })
})
