import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { openPostgres } from './open-postgres.ts'

const callers = 64

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('units that change one row', () => {
  let settings: DatabaseSettings
  let processes: Database[]

  beforeAll(async () => {
    settings = await makeDatabase('postgres')
    const options = { url: settings.databaseUrl ?? '', poolSize: 48 }
    const log = pino({ level: 'silent' })
    processes = [openPostgres({ ...options, log }), openPostgres({ ...options, log })]
  })
  afterAll(async () => {
    await Promise.all(processes.map((db) => db.close()))
    await dropDatabase(settings)
  })

  /** Reads the row, works for a while and writes it: any two such units conflict. */
  async function bump(tx: Tx): Promise<void> {
    const rows = tx.selectFrom('sequences').where('name', '=', 'hot').select('next_value')
    const { next_value: value } = await rows.executeTakeFirstOrThrow()
    await sleep(20)
    const next = { next_value: value + 1 }
    await tx.updateTable('sequences').set(next).where('name', '=', 'hot').execute()
  }

  test('a long one succeeds beside callers that change its row all the time', async () => {
    const [first, second] = processes
    if (first === undefined || second === undefined) throw new Error('both open in beforeAll')
    await first.write((tx) =>
      tx.insertInto('sequences').values({ name: 'warm', next_value: 0 }).execute(),
    )
    const change = (pauseMs: number) => async (tx: Tx) => {
      const row = tx.selectFrom('sequences').where('name', '=', 'warm').select('next_value')
      const { next_value: value } = await row.executeTakeFirstOrThrow()
      await sleep(pauseMs)
      const next = { next_value: value + 1 }
      await tx.updateTable('sequences').set(next).where('name', '=', 'warm').execute()
    }
    const isOver = new AbortController()
    let changes = 0
    const keepChanging = async (db: Database) => {
      for (; !isOver.signal.aborted; changes++) await db.write(change(0))
    }
    const others = [first, first, second, second].map(keepChanging)
    await first.write(change(100)).finally(() => isOver.abort())
    await Promise.all(others)
    const rows = first.read.selectFrom('sequences').where('name', '=', 'warm').selectAll()
    expect(await rows.execute()).toEqual([{ name: 'warm', next_value: changes + 1 }])
  })

  test(`all succeed, ${callers} at a time in two processes, and beside them other units`, async () => {
    const [first] = processes
    const add = (name: string) => (tx: Tx) =>
      tx.insertInto('sequences').values({ name, next_value: 0 }).execute()
    await first?.write(add('hot'))
    const changes = Array.from({ length: callers }, (_, n) => processes[n % 2]?.write(bump))
    const others = Array.from({ length: callers }, (_, n) => first?.write(add(`cold ${n}`)))
    await Promise.all([...changes, ...others])
    const rows = first?.read.selectFrom('sequences').where('name', '=', 'hot').selectAll()
    expect(await rows?.execute()).toEqual([{ name: 'hot', next_value: callers }])
  })
})
