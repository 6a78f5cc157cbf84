import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import type { Reader } from '#platform/db/database.ts'
import { ofNoWorkspace } from '#test/support/databases/tables-of-no-workspace.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { deleteWorkspace, listDeletedWorkspaces, purgeDeleted, restoreWorkspace } from './index.ts'
import { contentsOfAgent, contentsOfWorkspace, recordsOfAgent } from './purge-plan.ts'
import { withoutPartitions } from '#test/support/databases/without-partitions.ts'

const never = new AbortController().signal
const notFound = { code: 'record_not_found' }

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/** Every column of every table, as the engine reports it. */
async function columnsOf({ ctx }: TestInstance): Promise<readonly Column[]> {
  const query =
    ctx.db.engine === 'sqlite'
      ? sql<Column>`
          select tables.name as "table", info.name as "column", lower(info.type) as type
          from sqlite_master as tables, pragma_table_info(tables.name) as info
          where tables.type = 'table' and tables.name not like 'sqlite_%'`
      : sql<Column>`
          select table_name as "table", column_name as "column", lower(data_type) as type
          from information_schema.columns where table_schema = current_schema()
          and ${withoutPartitions}`
  return (await query.execute(ctx.db.read)).rows
}

/** Full-text indexes keep their data in tables of their own. */
const partOfIndex = /^(?:knowledge_index|conversation_index)_|^knowledge_terms$/

const steps = [...contentsOfAgent, ...recordsOfAgent, ...contentsOfWorkspace]

function plannedTables(engine: string): ReadonlySet<string> {
  const hanging = steps
    .flatMap((step) => step.with ?? [])
    .filter(({ only }) => only === undefined || only === engine)
  return new Set([...steps, ...hanging].map(({ table }) => table))
}

/** The table whose id a column holds; orders and payments have another kind of session. */
function namedBy(table: string, column: string): string | undefined {
  const isSale = table === 'orders' || table === 'payments'
  if (column === 'session_id' && isSale) return 'checkout_sessions'
  return {
    workspace_id: 'workspaces',
    agent_id: 'agents',
    session_id: 'chat_sessions',
    source_id: 'knowledge_sources',
    file_id: 'uploaded_files',
    document_id: 'knowledge_documents',
    chunk_id: 'knowledge_chunks',
    space_id: 'knowledge_vector_spaces',
    collection_id: 'knowledge_collections',
    segment_id: 'knowledge_segments',
    grant_id: 'oauth_grants',
    product_id: 'products',
    order_id: 'orders',
    endpoint_id: 'webhook_endpoints',
    api_key_id: 'api_keys',
    invitation_id: 'invitations',
  }[column]
}

describeInstance('a deleted workspace', (open) => {
  let instance: TestInstance
  let columns: readonly Column[]

  beforeAll(async () => {
    instance = await open()
    columns = await columnsOf(instance)
  })

  /** A row in every table that belongs to a workspace, each referring to the others. */
  async function furnish(person: Person, n: number): Promise<void> {
    const integers = 1000 * n
    const idIn = (table: string) => (table === 'workspaces' ? person.workspaceId : `${table} ${n}`)
    const cell = ({ table, column, type }: Column) => {
      const named = column === 'id' ? table : namedBy(table, column)
      const isInteger = /int/.test(type)
      if (column === 'user_id' || column.endsWith('_by') || column === 'author_id')
        return person.userId
      if (named !== undefined) return isInteger ? integers : idIn(named)
      if (column === 'refund_of' || column.endsWith('_at')) return column === 'refund_of' ? null : 1
      if (type.includes('array')) return sql`'{}'`
      if (/blob|bytea/.test(type)) return Buffer.from([n])
      return isInteger ? integers : column.endsWith('_json') ? '{}' : `${table} ${column} ${n}`
    }
    const planned = plannedTables(instance.ctx.db.engine)
    const tables = [...planned].filter((table) => table !== 'memberships').toReversed()
    const first = ['agents', 'api_keys', 'products', 'knowledge_sources', 'uploaded_files', 'knowledge_chunks', 'knowledge_segments', 'knowledge_vector_spaces', 'checkout_sessions', 'orders', 'webhook_endpoints', 'oauth_grants', 'invitations'] // prettier-ignore
    const ordered = [...first, ...tables.filter((table) => !first.includes(table))]
    await instance.ctx.db.write(async (tx) => {
      for (const table of ordered) {
        const isIndex = table.endsWith('_index')
        const own = columns.filter((one) => one.table === table && one.column !== 'purged_at')
        const row: Record<string, unknown> = isIndex
          ? { rowid: integers }
          : Object.fromEntries(own.map((one) => [one.column, cell(one)]))
        // Neither engine's types know a table by a name that is only there at run time.
        if (table === 'agents') row.deleted_at = null
        const names = sql.join(Object.keys(row).map((name) => sql.ref(name)))
        const values = sql.join(Object.values(row))
        const overriding = sql.raw(
          instance.ctx.db.engine === 'postgres' ? 'overriding system value' : '',
        )
        await sql`insert into ${sql.table(table)} (${names}) ${overriding} values (${values})`.execute(
          tx,
        )
      }
    })
  }

  async function countAll(reader: Reader): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {}
    for (const table of plannedTables(instance.ctx.db.engine)) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)}`.execute(reader)
      counts[table] = rows[0]?.count ?? 0
    }
    return counts
  }

  const drop = async (person: Person) => {
    const { name } = await instance.ctx.db.read
      .selectFrom('workspaces')
      .select('name')
      .where('id', '=', person.workspaceId)
      .executeTakeFirstOrThrow()
    return await deleteWorkspace(instance.ctx, person, name)
  }

  test('has no table that its purge plan leaves out', () => {
    const planned = plannedTables(instance.ctx.db.engine)
    const tables = [...new Set(columns.map(({ table }) => table))]
    const known = (table: string) => ofNoWorkspace.includes(table) || partOfIndex.test(table)
    expect(tables.filter((table) => !planned.has(table) && !known(table))).toEqual([])
    const owned = columns.filter(({ column }) => /^(?:workspace|agent)_id$/.test(column))
    expect(owned.filter(({ table }) => !planned.has(table))).toEqual([])
  })

  test('stays complete until its retention ends, and then leaves no row in any table', async () => {
    const [ada, bob] = [await instance.person(), await instance.person()]
    const bare = await countAll(instance.ctx.db.read)
    await furnish(ada, 1)
    const withAda = await countAll(instance.ctx.db.read)
    await furnish(bob, 2)
    for (const [table, count] of Object.entries(withAda))
      if (table !== 'memberships') expect([table, count]).toEqual([table, (bare[table] ?? 0) + 1])
    await drop(bob)
    instance.advance(30 * dayMs - 1)
    await purgeDeleted(instance.ctx, never)
    const { items } = await listDeletedWorkspaces(instance.ctx, bob.userId, { limit: 9 })
    expect(items).toHaveLength(1)
    instance.advance(1)
    await instance.ctx.db.write((tx) =>
      tx.updateTable('payments').set({ status: 'succeeded' }).execute(),
    )
    await purgeDeleted(instance.ctx, never)
    const expected = {
      ...withAda,
      memberships: (withAda.memberships ?? 0) - 1,
      // That it was deleted for good is the instance's to know.
      audit_events: (withAda.audit_events ?? 0) + 2,
    }
    expect(await countAll(instance.ctx.db.read)).toEqual(expected)
    const gone = await instance.ctx.db.read
      .selectFrom('workspaces')
      .select('id')
      .where('id', '=', bob.workspaceId)
      .execute()
    expect(gone).toEqual([])
    await expect(restoreWorkspace(instance.ctx, bob.userId, bob.workspaceId)).rejects.toMatchObject(
      notFound,
    )
  })

  test('gets no ledger entry once its ledger is being deleted, because nothing would delete it later', () => {
    const order = contentsOfWorkspace.map(({ table }) => table)
    const ledger = order.indexOf('credit_entries')
    for (const source of ['billing_checkouts', 'subscriptions', 'credit_windows'] as const)
      expect(order.indexOf(source), source).toBeLessThan(ledger)
  })

  test('is not purged while one of its payments is pending', async () => {
    const ada = await instance.person()
    await furnish(ada, 3)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('payments')
        .set({ status: 'pending' })
        .where('workspace_id', '=', ada.workspaceId)
        .execute(),
    )
    await drop(ada)
    instance.advance(31 * dayMs)
    await purgeDeleted(instance.ctx, never)
    await restoreWorkspace(instance.ctx, ada.userId, ada.workspaceId)
  })

  test('is purged to the end by the next run if one was interrupted', async () => {
    const ada = await instance.person()
    await furnish(ada, 4)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('payments')
        .set({ status: 'declined' })
        .where('workspace_id', '=', ada.workspaceId)
        .execute(),
    )
    await drop(ada)
    instance.advance(31 * dayMs)
    const stop = new AbortController()
    let units = 0
    const { db } = instance.ctx
    const cut = {
      ...db,
      write: async <T>(unit: Parameters<typeof db.write<T>>[0]) => {
        units += 1
        if (units === 12) stop.abort()
        return await db.write(unit)
      },
    }
    await expect(purgeDeleted({ ...instance.ctx, db: cut }, stop.signal)).rejects.toThrow()
    await expect(restoreWorkspace(instance.ctx, ada.userId, ada.workspaceId)).rejects.toMatchObject(
      notFound,
    )
    await purgeDeleted(instance.ctx, never)
    const left = await db.read
      .selectFrom('workspaces')
      .select('id')
      .where('id', '=', ada.workspaceId)
      .execute()
    expect(left).toEqual([])
  })

  test('is either restored or purged when both are tried at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ada = await instance.person()
      await drop(ada)
      instance.advance(31 * dayMs)
      const [, restored] = await Promise.allSettled([
        purgeDeleted(instance.ctx, never),
        restoreWorkspace(instance.ctx, ada.userId, ada.workspaceId),
      ])
      const left = await instance.ctx.db.read
        .selectFrom('workspaces')
        .select(['id', 'deleted_at'])
        .where('id', '=', ada.workspaceId)
        .execute()
      const whole = [{ id: ada.workspaceId, deleted_at: null }]
      expect(left).toEqual(restored.status === 'fulfilled' ? whole : [])
    }
  })

  test('loses a deleted agent’s contents after the same time, but keeps its orders and costs', async () => {
    const ada = await instance.person()
    await furnish(ada, 5)
    await instance.ctx.db.write((tx) =>
      tx
        .updateTable('agents')
        .set({ deleted_at: instance.ctx.clock.now() })
        .where('workspace_id', '=', ada.workspaceId)
        .execute(),
    )
    const before = await countAll(instance.ctx.db.read)
    instance.advance(29 * dayMs)
    await purgeDeleted(instance.ctx, never)
    expect(await countAll(instance.ctx.db.read)).toEqual(before)
    instance.advance(2 * dayMs)
    await purgeDeleted(instance.ctx, never)
    await purgeDeleted(instance.ctx, never)
    const after = await countAll(instance.ctx.db.read)
    const lost = Object.keys(before).filter((table) => (after[table] ?? 0) < (before[table] ?? 0))
    const contents = contentsOfAgent.flatMap((step) => [step, ...(step.with ?? [])])
    const planned = plannedTables(instance.ctx.db.engine)
    const expected = new Set(contents.map(({ table }) => table).filter((one) => planned.has(one)))
    expect(lost.toSorted()).toEqual([...expected].toSorted())
    expect(after.audit_events).toBe((before.audit_events ?? 0) + 1)
  })
})
