import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { countedRecords, countQuery, mostQuery, type CountedLimit } from './count-records.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

type Query = ReturnType<typeof countQuery | typeof mostQuery>

describeInstance('counting for limits', (open) => {
  let instance: TestInstance
  beforeAll(async () => {
    instance = await open()
  })

  async function scansOfSqlite(tx: Tx, query: Query): Promise<string[]> {
    const { rows } = await sql<{ detail: string }>`explain query plan ${query}`.execute(tx)
    expect(rows.length).toBeGreaterThan(0)
    return rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))
  }

  // The tables are empty. With these settings, PostgreSQL plans as for large ones: it reads a table
  // without an index condition only if no index fits.
  async function scansOfPostgres(tx: Tx, query: Query): Promise<string[]> {
    for (const off of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material'])
      await sql`set local ${sql.raw(off)} = off`.execute(tx)
    const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>`
      explain (format json) ${query}
    `.execute(tx)
    const scans: string[] = []
    let seen = 0
    const visit = (node: PlanNode): void => {
      const { 'Node Type': type, 'Relation Name': table, Plans: below = [] } = node
      seen += 1
      if (table !== undefined && type !== 'Bitmap Heap Scan' && node['Index Cond'] === undefined)
        scans.push(`${type} ${table}`)
      for (const one of below) visit(one)
    }
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) visit(Plan)
    expect(seen).toBeGreaterThan(0)
    return scans
  }

  // The table has exactly these keys.
  test.each(Object.keys(countedRecords) as CountedLimit[])(
    '%s is counted with an index, so that other tenants’ rows are not read',
    async (limit) => {
      const { db } = instance.ctx
      const isSqlite = db.engine === 'sqlite'
      const queries: Query[] = [countQuery(limit, newId(), 0)]
      // PostgreSQL joins empty tables in an order that it does not choose for large ones.
      if (isSqlite && countedRecords[limit].by === 'agent_id')
        queries.push(mostQuery(limit, newId(), 0))
      const scans = isSqlite ? scansOfSqlite : scansOfPostgres
      for (const query of queries) expect(await db.write((tx) => scans(tx, query))).toEqual([])
    },
  )
})
