import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Tx } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { RecordUnits } from './record-units.ts'
import type { UnitCode } from './unit-connection.ts'

/** A database without statements: the units are given no transaction. */
function open(options: { maxWaitMs?: number; maxWaiting?: number; fails?: () => void } = {}) {
  const transactions: number[] = []
  const units = new RecordUnits({
    maxWaitMs: 1_000,
    maxWaiting: 100,
    ...options,
    async runTogether(together: readonly UnitCode<unknown>[]) {
      transactions.push(together.length)
      await sleep(10)
      options.fails?.()
      const values: unknown[] = []
      for (const { run, within } of together) values.push(await within(() => run({} as Tx)))
      return values
    },
  })
  return { units, transactions }
}

/** How many waits were counted, and their sum in seconds. */
function countedWaits() {
  const { counts, sum } = tallies.writeWait.values.get('') ?? { counts: [], sum: 0 }
  return { number: counts.reduce((all, count) => all + count, 0), sum }
}

const lost = new Fault(commonFaults.database_unavailable, {})
const locked = new Fault(commonFaults.database_unavailable, {}, { cause: { code: '55P03' } })

describe('units of one record', () => {
  test('share a transaction if they wait at the same time, at most 16 of them', async () => {
    const { units, transactions } = open()
    const all = Array.from({ length: 20 }, (_, n) => units.write('one', async () => n))
    expect(await Promise.all(all)).toEqual(all.map((_, n) => n))
    expect(transactions).toEqual([1, 16, 3])
  })

  test('do not wait for those of another record', async () => {
    const { units, transactions } = open()
    await Promise.all(['one', 'other'].map((record) => units.write(record, async () => record)))
    expect(transactions).toEqual([1, 1])
  })

  test('run alone after a failure, so that only the unit that caused the failure fails', async () => {
    const { units, transactions } = open()
    const code = (n: number) => async () => {
      if (n === 2) throw new Error('of this unit')
      return n
    }
    const all = [0, 1, 2, 3].map((n) => units.write('one', code(n)))
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true])
    expect(transactions).toEqual([1, 3, 1, 1, 1])
    expect(await units.write('one', code(4))).toBe(4)
  })

  test('do not run again if the server may have committed them', async () => {
    let calls = 0
    const { units, transactions } = open({
      fails: () => {
        if (++calls === 2) throw lost
      },
    })
    const all = [0, 1, 2].map((n) => units.write('one', async () => n))
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.slice(1)).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ])
    expect(transactions).toEqual([1, 2])
  })

  test('count how long they waited, also if they are refused then', async () => {
    const before = countedWaits()
    const { units } = open()
    await Promise.all([0, 1, 2].map((n) => units.write('one', async () => n)))
    const shared = countedWaits()
    expect(shared.number - before.number).toBe(2)
    // Both waited for the first transaction, 10 ms or a little less.
    expect(shared.sum - before.sum).toBeGreaterThan(0.015)
    const slow = open({ maxWaitMs: 1 })
    await Promise.allSettled([0, 1].map((n) => slow.units.write('one', async () => n)))
    expect(countedWaits().number - shared.number).toBe(1)
  })

  test('run in the context of their callers', async () => {
    const { units } = open()
    const caller = new AsyncLocalStorage<number>()
    const all = [0, 1, 2].map((n) =>
      caller.run(n, () => units.write('one', async () => caller.getStore())),
    )
    expect(await Promise.all(all)).toEqual([0, 1, 2])
  })

  test('share a transaction in the context of one of them, not of one that has ended', async () => {
    const caller = new AsyncLocalStorage<number>()
    const contexts: unknown[] = []
    const { units } = open({ fails: () => void contexts.push(caller.getStore()) })
    const all = Array.from({ length: 18 }, (_, n) =>
      caller.run(n, () => units.write('one', async () => n)),
    )
    await Promise.all(all)
    expect(contexts).toEqual([0, 1, 17])
  })

  test('do not run again after a wait for a lock', async () => {
    let calls = 0
    const { units, transactions } = open({
      fails: () => {
        if (++calls > 1) throw locked
      },
    })
    const all = [0, 1, 2].map((n) => units.write('one', async () => n))
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(transactions).toEqual([1, 2])
  })

  test('are refused in time while a unit before them runs', async () => {
    const { units } = open({ maxWaitMs: 50 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = units.write('one', () => promise)
    const second = units.write('one', async () => 1)
    await expect(second).rejects.toMatchObject({ code: 'database_unavailable' })
    resolve()
    await first
    expect(await units.write('one', async () => 2)).toBe(2)
  })

  test('are refused if too many wait, or if they wait for too long', async () => {
    const crowded = open({ maxWaiting: 1 })
    const [, , third] = [0, 1, 2].map((n) => crowded.units.write('one', async () => n))
    await expect(third).rejects.toMatchObject({ code: 'database_unavailable' })
    const slow = open({ maxWaitMs: 1 })
    const [, second] = [0, 1].map((n) => slow.units.write('one', async () => n))
    await expect(second).rejects.toMatchObject({ code: 'database_unavailable' })
  })
})

describeEngines('units that name the record they change', (engine) => {
  test('do not run again because of each other', async () => {
    const db = engine.database()
    await db.write((tx) =>
      tx.insertInto('sequences').values({ name: 'named', next_value: 0 }).execute(),
    )
    let runs = 0
    const bump = async (tx: Tx) => {
      runs += 1
      const row = tx.selectFrom('sequences').where('name', '=', 'named').select('next_value')
      const { next_value: value } = await row.executeTakeFirstOrThrow()
      const next = { next_value: value + 1 }
      await tx.updateTable('sequences').set(next).where('name', '=', 'named').execute()
      return value
    }
    const all = Array.from({ length: 40 }, () => db.write(bump, { record: 'named' }))
    const values = await Promise.all(all)
    expect(values).toEqual(all.map((_, n) => n))
    expect(runs).toBe(40)
  })
})
