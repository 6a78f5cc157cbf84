import pino from 'pino'
import { openDatabase } from '#platform/db/open-database.ts'
import type { DatabaseSettings } from '#test/support/databases/engines.ts'

/**
 * A second process on the same database, like the command line. It increments a counter by reading
 * it and writing it back. Arguments: settings as JSON, the counter's name, the number of
 * increments.
 */
const [settingsJson = '', name = '', times = ''] = process.argv.slice(2)
// The test that starts this process passes exactly these arguments.
const settings = JSON.parse(settingsJson) as Partial<DatabaseSettings>
const db = openDatabase(
  {
    dataDir: settings.dataDir ?? '',
    databaseUrl: settings.databaseUrl,
    databasePoolSize: settings.databasePoolSize ?? 2,
  },
  pino({ level: 'silent' }),
)
for (let count = 0; count < Number(times); count++)
  await db.write(async (tx) => {
    const { next_value } = await tx
      .selectFrom('sequences')
      .select('next_value')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await tx
      .updateTable('sequences')
      .set({ next_value: next_value + 1 })
      .where('name', '=', name)
      .execute()
  })
await db.close()
