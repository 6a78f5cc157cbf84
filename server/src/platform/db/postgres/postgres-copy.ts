import type { Client } from 'pg'
import { readApplied } from './migrate-postgres.ts'
import { postgresDriver } from './postgres-driver.ts'
import { vectorIndexTable } from './postgres-vectors.ts'
import {
  migrationsTableName,
  orderByReferences,
  quoted,
  rowsPerBatch,
  type Cell,
  type CopyHeader,
  type RowBatch,
  type RowSource,
  type TableShape,
} from '#platform/db/row-source.ts'

const oids = { bytes: 17, integers: [20, 21, 23], floats: [700, 701] }

/** Parses values for a copy; types without a JSON form stay in PostgreSQL's text form. */
export const copyTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oids.integers.includes(oid)) return exactInteger
    if (oids.floats.includes(oid)) return Number
    return oid === oids.bytes ? postgresDriver().types.getTypeParser(oid, format) : String
  },
}

function exactInteger(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/**
 * Begins the transaction of `postgresRows`. A partition that is dropped is gone for older snapshots, too, so
 * partitions are locked before this one takes its own.
 */
export async function beginCopy(client: Client): Promise<void> {
  const { rows } = await client.query<{ tables: string | null }>(`
    select string_agg(format('%I', relname), ', ') as tables from pg_class
    where relkind = 'p' and relnamespace = current_schema()::regnamespace`)
  await client.query('begin isolation level repeatable read, read only')
  const tables = rows[0]?.tables ?? null
  if (tables !== null) await client.query(`lock table ${tables} in access share mode`)
}

/**
 * The rows of a PostgreSQL database. Read them in one repeatable-read transaction of `client`, whose
 * types must be `copyTypes`.
 */
export async function postgresRows(client: Client, takenAt: number): Promise<RowSource> {
  const tables = orderByReferences(await readTables(client), await readReferences(client))
  const header: CopyHeader = {
    engine: 'postgres',
    takenAt,
    migrations: await readApplied(client),
    tables,
    counters: await readCounters(client),
    keyFingerprint: await readFingerprint(client),
  }
  return { header, batches: () => readBatches(client, tables) }
}

export async function readTables(client: Client): Promise<TableShape[]> {
  const { rows } = await client.query<{ name: string; columns: string }>(`
    select c.relname as name, json_agg(a.attname order by a.attnum) as columns
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace
      and c.relname not in ('${migrationsTableName}', '${vectorIndexTable}')
    group by c.relname`)
  return rows.map(({ name, columns }) => ({ name, columns: JSON.parse(columns) }))
}

async function readReferences(client: Client): Promise<[string, string][]> {
  const { rows } = await client.query<{ table: string; target: string }>(`
    select c.relname as table, t.relname as target
    from pg_constraint as f
    join pg_class as c on c.oid = f.conrelid
    join pg_class as t on t.oid = f.confrelid
    where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace`)
  return rows.map(({ table, target }) => [table, target])
}

/** Identity columns of the current schema and their sequences. */
export async function readIdentities(client: Client) {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select
      table_name as table,
      column_name as column,
      pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) as sequence
    from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`)
  return rows
}

/** Sequences are not part of the snapshot: one may be ahead of the rows, which is harmless. */
async function readCounters(client: Client): Promise<Record<string, number>> {
  const counters: Record<string, number> = {}
  for (const { table, sequence } of await readIdentities(client)) {
    const { rows } = await client.query<{ last: number }>(
      `select case when is_called then last_value else 0 end as last from ${sequence}`,
    )
    counters[table] = rows[0]?.last ?? 0
  }
  return counters
}

async function readFingerprint(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>(
    "select value from meta where key = 'secret_key_fingerprint'",
  )
  return rows[0]?.value ?? null
}

export async function* readBatches(
  client: Client,
  tables: readonly TableShape[],
): AsyncGenerator<RowBatch> {
  for (const { name, columns } of tables) {
    const list = columns.map(quoted).join(', ')
    await client.query(`declare copied no scroll cursor for select ${list} from ${quoted(name)}`)
    for (;;) {
      const fetch = { text: `fetch ${rowsPerBatch} from copied`, rowMode: 'array' as const }
      const { rows } = await client.query<Cell[]>(fetch)
      if (rows.length === 0) break
      yield { table: name, rows }
    }
    await client.query('close copied')
  }
}
