import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { sqliteFile } from './open-database.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../../test/support/processes/counting-process.ts')

describeEngines('several processes on one database', (engine) => {
  const make = (name: string) =>
    engine
      .database()
      .write((tx) => tx.insertInto('sequences').values({ name, next_value: 0 }).execute())
  const valueOf = async (name: string) =>
    (
      await engine
        .database()
        .read.selectFrom('sequences')
        .select('next_value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
    ).next_value

  test('lose no update of a counter that each reads and writes', async () => {
    await make('shared')
    const settings = JSON.stringify(engine.settings())
    const processes = [1, 2].map(() => run(process.execPath, [script, settings, 'shared', '60']))
    let ours = 0
    const bump = () =>
      engine.database().write(async (tx) => {
        const row = await tx
          .selectFrom('sequences')
          .select('next_value')
          .where('name', '=', 'shared')
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('sequences')
          .set({ next_value: row.next_value + 1 })
          .where('name', '=', 'shared')
          .execute()
      })
    const running = { theirs: true }
    const theirs = Promise.all(processes).finally(() => (running.theirs = false))
    while (running.theirs) {
      await bump()
      ours += 1
      await sleep(1)
    }
    await theirs
    expect(ours).toBeGreaterThan(0)
    expect(await valueOf('shared')).toBe(120 + ours)
  })

  // On PostgreSQL the server waits, not this process.
  test.skipIf(engine.name === 'postgres')(
    'wait for a writer without blocking the event loop',
    async () => {
      await make('waited')
      const other = new DatabaseSync(sqliteFile(engine.settings()))
      other.exec("begin immediate; update sequences set next_value = 5 where name = 'waited'")
      let ticks = 0
      const ticking = setInterval(() => (ticks += 1), 5)
      let hasWritten = false
      const waiting = engine
        .database()
        .write((tx) => tx.updateTable('sequences').set({ next_value: 6 }).execute())
        .then(() => (hasWritten = true))
      await sleep(200)
      clearInterval(ticking)
      expect(hasWritten).toBe(false)
      expect(ticks).toBeGreaterThan(15)
      other.exec('commit')
      other.close()
      await waiting
      expect(await valueOf('waited')).toBe(6)
    },
  )
})
