import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { tallies } from '#kernel/tallies.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { openDatabase } from './open-database.ts'
import { logSlowStatements } from './slow-statements.ts'

afterAll(() => logSlowStatements(0, { warn: () => undefined }))

describeEngines('the log of slow statements', (engine) => {
  /** Takes a tenth of a second or more. */
  const slow = (value: string) =>
    engine.name === 'postgres'
      ? sql`select pg_sleep(0.15), ${value} as given`
      : sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000)
          select max(i), ${value} as given from n`

  test('has the text of reads, long reads and units above the threshold, never a value', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line) => void lines.push(line) })
    const db = openDatabase({ ...engine.settings(), slowStatementMs: 100 }, log)
    const before = tallies.slowStatements.values.get('') ?? 0
    await slow('planted value').execute(db.read)
    await slow('planted value').execute(db.scan)
    await db.write(async (tx) => void (await slow('planted value').execute(tx)))
    await sql`select 1`.execute(db.read)
    await db.close()
    const seen = lines.filter((line) => line.includes('slow statement'))
    expect(seen).toHaveLength(3)
    for (const line of seen) {
      expect(JSON.parse(line)).toMatchObject({
        ms: expect.toSatisfy((ms) => ms >= 100),
        statement: expect.stringMatching(/^(select pg_sleep|with recursive).*as given/),
      })
      expect(line).not.toContain('planted value')
    }
    expect((tallies.slowStatements.values.get('') ?? 0) - before).toBe(3)
  })
})
