import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { dropDatabase, makeDatabase } from '#test/support/databases/engines.ts'
import { defineOnInstances } from '#test/support/test-instance.ts'
import { listEntries, sumUse, wholeWorkspace } from './ledger-store.ts'

const entries = 1_000

// PostgreSQL's index of the ledger has only some digits of the workspace, and the planner must know that.
describe.runIf(inject('engines').includes('postgres'))('the ledger on PostgreSQL', () => {
  const source = { make: () => makeDatabase('postgres'), drop: dropDatabase }
  defineOnInstances(source, (open) => {
    const reads: Readonly<Record<string, (tx: Tx, workspaceId: string) => Promise<unknown>>> = {
      'a page': (tx, workspaceId) =>
        listEntries(
          tx,
          { workspaceId, from: undefined, to: undefined, kind: undefined },
          { limit: 51, before: undefined },
        ),
      'the use of a period': (tx, workspaceId) =>
        sumUse(tx, workspaceId, wholeWorkspace, { startsAt: entries - 50, endsAt: entries }),
      'the use of an end user': (tx, workspaceId) =>
        sumUse(
          tx,
          workspaceId,
          { subject: 'end_user', subjectId: 'user 7' },
          { startsAt: 0, endsAt: entries },
        ),
    }

    test.for(Object.keys(reads))('reads few rows for %s', async (name) => {
      const { ctx } = await open()
      const workspaceId = newId()
      await ctx.db.write(async (tx) => {
        for (const id of [workspaceId, ...Array.from({ length: 9 }, () => newId())])
          await sql`insert into credit_entries (id, workspace_id, kind, amount_micros, end_user,
              counted_at, created_at)
            select ${id} || n, ${id}, 'turn', -5, 'user ' || n % 20, n, n
            from generate_series(1, ${sql.lit(entries)}) as n`.execute(tx)
        await sql`analyze credit_entries`.execute(tx)
        await reads[name]?.(tx, workspaceId)
        const read = await rowsRead(tx)
        expect(read).toBeGreaterThan(40)
        expect(read).toBeLessThan(200)
      })
    })
  })
})

async function rowsRead(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
    where relname = 'credit_entries'`.execute(tx)
  return rows[0]?.read
}
