import { beforeAll, expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import type { Database } from './database.ts'
import { servedSchema } from './open-database.ts'
import { sql } from 'kysely'
import { isServable } from './plan-migrations.ts'

describeEngines('a process that runs while a later version migrates the database', (engine) => {
  let db: Database

  beforeAll(() => {
    db = engine.database()
  })

  const migrated = (version: number, name: string) =>
    db.write((tx) =>
      sql`insert into schema_migrations values (${version}, ${name}, 'unknown', 0)`.execute(tx),
    )

  test('stays ready, unless the migration is named as breaking it', async () => {
    const schema = await servedSchema(db)
    expect(schema).toMatchObject({ pending: [], later: [] })
    expect(isServable(schema)).toBe(true)
    await migrated(9001, 'more-columns')
    const later = await servedSchema(db)
    expect(later).toMatchObject({
      current: 9001,
      newest: schema.newest,
      later: ['9001 more-columns'],
    })
    expect(isServable(later)).toBe(true)
    await migrated(9002, 'other-columns-breaking')
    expect(isServable(await servedSchema(db))).toBe(false)
  })
})
