import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { dropDatabase, makeDatabase } from '#test/support/databases/engines.ts'
import { openDatabase } from '#platform/db/open-database.ts'

const made = await makeDatabase('sqlite')
afterAll(() => dropDatabase(made))

test('a database closes without an error while another process writes', async () => {
  const db = openDatabase(made, pino({ level: 'silent' }))
  const rows = Array.from({ length: 500 }, (_, n) => ({ name: `n${n}`, next_value: n }))
  await db.write((tx) => tx.insertInto('sequences').values(rows).execute())
  await db.read.selectFrom('sequences').selectAll().where('name', '=', 'n7').execute()
  const other = new DatabaseSync(join(made.dataDir, 'parley.sqlite'))
  // The statistics are missing, so closing would write them.
  other.exec('analyze; delete from sqlite_stat1')
  other.exec('begin immediate')
  await expect(db.close()).resolves.toBeUndefined()
  other.exec('rollback')
  other.close()
})
