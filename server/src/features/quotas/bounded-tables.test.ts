import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { variables } from '#config'
import { fixedLimits, limits } from '#kernel/limits.ts'
import type { Database } from '#platform/db/database.ts'
import { countRows } from '#test/security/count-rows.ts'
import { tableBounds } from '#test/support/databases/table-bounds.ts'
import { describeInstance } from '#test/support/test-instance.ts'

const page = join(import.meta.dirname, '../../../../docs/limits.md')

test('docs/limits.md names limits and variables that exist, and every limit', async () => {
  const text = await readFile(page, 'utf8')
  const rows = text.slice(text.indexOf('## What bounds each table')).split('\n').filter(isRow)
  const words = rows.flatMap((row) => [...row.matchAll(/`(\w+)/g)].map(([, word = '']) => word))
  const named = new Set(words)
  const unknown = [...named].filter((word) =>
    word.includes('_per_')
      ? !Object.hasOwn(limits, word) && !Object.hasOwn(fixedLimits, word)
      : /^[A-Z_]+$/.test(word) && !Object.hasOwn(variables, word),
  )
  expect(unknown).toEqual([])
  expect(Object.keys(limits).filter((limit) => !named.has(limit))).toEqual([])
})

/** Columns that show that a tenant's request adds the row. */
const ofTenants = ['workspace_id', 'agent_id', 'user_id']

/** What is wrong with the bound of a table. */
async function problemsOf(db: Database, table: string): Promise<readonly string[]> {
  const bound = tableBounds[table]
  if (bound === undefined) return [`${table} has no bound`]
  const columns = await columnsOf(db, table)
  const lacks = (column: string) =>
    columns.includes(column) ? [] : [`${table} has no column ${column}`]
  const isBounded = (other: string) =>
    Object.hasOwn(tableBounds, other) ? [] : [`${table} refers to ${other}, which has no bound`]
  if ('partOf' in bound) return [...lacks(bound.by), ...isBounded(bound.partOf)]
  if ('expires' in bound) return lacks(bound.expires)
  if ('addedBy' in bound && bound.addedBy === 'service')
    return ofTenants
      .filter((column) => columns.includes(column))
      .map((column) => `${table} has ${column}, so the service alone does not bound it`)
  if (!('onePer' in bound)) return []
  const keys = await uniqueKeysOf(db, table)
  const wanted = bound.onePer.toSorted().join()
  const isUnique = keys.some((key) => key.toSorted().join() === wanted)
  return [
    ...(isUnique ? [] : [`${table} has no unique key ${wanted}`]),
    ...bound.of.flatMap(isBounded),
  ]
}

async function columnsOf(db: Database, table: string): Promise<readonly string[]> {
  const { rows } =
    db.engine === 'sqlite'
      ? await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db.read)
      : await sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table}`.execute(db.read)
  return rows.map(({ name }) => name)
}

async function uniqueKeysOf(db: Database, table: string): Promise<readonly (readonly string[])[]> {
  const { rows } =
    db.engine === 'sqlite'
      ? await sql<{ key: string; name: string }>`
          select list.name as key, info.name from pragma_index_list(${table}) as list
          join pragma_index_info(list.name) as info
          where list."unique" = 1 and list.partial = 0
          union all
          select 'primary', name from pragma_table_info(${table}) where pk > 0
        `.execute(db.read)
      : await sql<{ key: string; name: string }>`
          select cast(index.indexrelid as text) as key, column_of.attname as name
          from pg_index as index
          join pg_class as class on class.oid = index.indrelid
          join pg_namespace as space on space.oid = class.relnamespace
          join pg_attribute as column_of
            on column_of.attrelid = class.oid and column_of.attnum = any(index.indkey)
          where index.indisunique and index.indpred is null
            and space.nspname = current_schema() and class.relname = ${table}
        `.execute(db.read)
  const keys = Map.groupBy(rows, ({ key }) => key)
  return [...keys.values()].map((columns) => columns.map(({ name }) => name))
}

function isRow(line: string): boolean {
  return line.startsWith('| `')
}

describeInstance('docs/limits.md', (open) => {
  test('says of every table what bounds it', async () => {
    const text = await readFile(page, 'utf8')
    const listed = [...text.matchAll(/^\| `([a-z_]+)` +\| *(\S.*?) *\|/gm)]
    const bounds = new Map(listed.map(([, table, bound]) => [table, bound]))
    const { ctx } = await open()
    const tables = Object.keys(await countRows(ctx.db))
    expect(tables.length).toBeGreaterThan(50)
    expect(tables.filter((table) => !bounds.has(table))).toEqual([])
    expect(listed.filter(([line]) => /no bound/i.test(line))).toEqual([])
  })

  test('and each bound exists: a limit, a setting, a job, a key or a parent', async () => {
    const { ctx } = await open()
    const { db } = ctx
    const tables = Object.keys(await countRows(db))
    expect(tables.filter((table) => !Object.hasOwn(tableBounds, table))).toEqual([])
    const problems = await Promise.all(tables.map((table) => problemsOf(db, table)))
    expect(problems.flat()).toEqual([])
  })
})
