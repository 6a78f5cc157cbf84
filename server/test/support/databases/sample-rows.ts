import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import type { Cell } from '#platform/db/row-source.ts'
import { orderByReferences } from '#platform/db/row-source.ts'
import { sqliteTables } from '#platform/db/sqlite/sqlite-copy.ts'

/** A column as the engine describes it. */
interface SampleColumn {
  readonly name: string
  readonly type: string
  readonly references: { readonly table: string; readonly column: string } | null
}

export interface SampleTable {
  readonly name: string
  readonly columns: readonly SampleColumn[]
}

/** A sample row that fits the rows of the tables it references; `n` counts from 1. */
export function sampleRow(table: SampleTable, n: number): Cell[] {
  return table.columns.map((column) => sampleCell(table.name, column, n))
}

function sampleCell(table: string, { name, type, references }: SampleColumn, n: number): Cell {
  // Referenced texts are generated in the same way, and referenced numbers are `n`.
  if (references !== null && isText(type)) return `${references.table} ${references.column} ${n}`
  if (name.endsWith('_json')) return JSON.stringify({ sample: n })
  if (isText(type)) return `${table} ${name} ${n}`
  if (type.endsWith('[]')) return `{${n},${n + 1}}`
  if (/blob|bytea/i.test(type)) return Buffer.from([n, 0, 255])
  return n
}

function isText(type: string): boolean {
  return /^(?:text|varchar|character varying)/i.test(type) && !type.endsWith('[]')
}

export function sqliteSampleTables(raw: DatabaseSync): SampleTable[] {
  const references = new Map<string, { table: string; column: string }>()
  const tables = sqliteTables(raw)
  for (const { name } of tables)
    for (const row of raw.prepare('select * from pragma_foreign_key_list(?)').all(name))
      references.set(`${name} ${String(row.from)}`, {
        table: String(row.table),
        column: String(row.to),
      })
  const described = tables.map(({ name }) => ({
    name,
    columns: raw
      .prepare('select name, type from pragma_table_info(?)')
      .all(name)
      .map((column) => ({
        name: String(column.name),
        type: String(column.type),
        references: references.get(`${name} ${String(column.name)}`) ?? null,
      })),
  }))
  return inOrder(described)
}

export async function postgresSampleTables(client: Client): Promise<SampleTable[]> {
  const { rows } = await client.query<{
    name: string
    columns: SampleColumn[]
  }>(`
    select c.relname as name, json_agg(json_build_object(
      'name', a.attname,
      'type', format_type(a.atttypid, a.atttypmod),
      'references', (
        select json_build_object('table', t.relname, 'column', ta.attname)
        from pg_constraint as f
        join pg_class as t on t.oid = f.confrelid
        join pg_attribute as ta on ta.attrelid = t.oid and ta.attnum = f.confkey[1]
        where f.contype = 'f' and f.conrelid = c.oid and f.conkey = array[a.attnum]
      )
    ) order by a.attnum) as columns
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
      and c.relname <> 'schema_migrations'
    group by c.relname`)
  return inOrder(rows)
}

function inOrder(tables: readonly SampleTable[]): SampleTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const references = tables.flatMap(({ name, columns }) =>
    columns.flatMap((column): [string, string][] =>
      column.references === null ? [] : [[name, column.references.table]],
    ),
  )
  const shapes = tables.map(({ name }) => ({ name, columns: [] }))
  return orderByReferences(shapes, references).map(({ name }) => byName.get(name)!)
}

/**
 * `insert` statements for `count` rows in every table, in an order that satisfies the references.
 */
export function sampleInserts(
  tables: readonly SampleTable[],
  dialect: 'sqlite' | 'postgres',
  count: number,
): string[] {
  return tables.map((table) => {
    const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
    const rows = Array.from({ length: count }, (_, index) => {
      const cells = sampleRow(table, index + 1).map((cell) => literal(cell, dialect))
      return `  (${cells.join(', ')})`
    })
    // The sample includes the numbers of identity columns.
    const override = dialect === 'postgres' ? ' overriding system value' : ''
    return `insert into "${table.name}" (${names})${override} values\n${rows.join(',\n')};`
  })
}

function literal(cell: Cell, dialect: 'sqlite' | 'postgres'): string {
  if (cell === null) return 'null'
  if (typeof cell === 'string') return `'${cell.replaceAll("'", "''")}'`
  if (cell instanceof Uint8Array) {
    const hex = Buffer.from(cell).toString('hex')
    return dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
  }
  return String(cell)
}
