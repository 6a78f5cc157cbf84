import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrateSqlite } from './sqlite/migrate-sqlite.ts'
import { readMigrations } from './migration-files.ts'

test('after a migration of SQLite, a list does not use a new index that only begins like its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-statistics-'))
  const file = join(folder, 'parley.sqlite')
  const log = pino({ level: 'silent' })
  // Migration 36 adds an index of audit events by actor.
  const older = readMigrations('sqlite').filter(({ version }) => version < 36)
  try {
    await migrateSqlite({ file, log, migrations: older })
    using before = new DatabaseSync(file)
    before.exec(`
      with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 500)
      insert into audit_events (id, workspace_id, face, action, outcome, created_at)
      select printf('%08d', n), 'w', 'mcp', 'update_app', 'done', n from counted;
      analyze;`)
    before.close()
    await migrateSqlite({ file, log })
    using after = new DatabaseSync(file)
    const list = after.prepare(`explain query plan
      select * from audit_events where workspace_id = ? order by id desc limit 50`)
    expect(list.all('w').map(({ detail }) => detail)).toEqual([
      'SEARCH audit_events USING INDEX audit_events_by_time (workspace_id=?)',
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
