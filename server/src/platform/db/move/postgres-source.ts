import type { Client } from 'pg'
import { isUsed } from '#platform/db/postgres/load-postgres.ts'
import { readApplied } from '#platform/db/postgres/migrate-postgres.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { statusOf } from '#platform/db/plan-migrations.ts'
import { copyTypes, postgresRows, readBatches } from '#platform/db/postgres/postgres-copy.ts'
import { withClient } from '#platform/db/postgres/postgres-driver.ts'
import { codeOf } from '#platform/db/postgres/postgres-errors.ts'
import { quoted, type Cell, type CopyHeader } from '#platform/db/row-source.ts'
import { liveSource, MoveError, type Key, type MoveSource, type MoveTable } from './move-sides.ts'
import { refuseOtherSchema } from './move-tables.ts'

const lockNotAvailable = '55P03'

/** A server's limits would end a transaction that takes long or waits for the other database. */
export const withoutTimeouts = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local lock_timeout = '5s'`

/** Host and database, never user or password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

/**
 * Opens a PostgreSQL database as the source of a move: one snapshot, and no other process can write
 * until `use` ends.
 *
 * @throws MoveError, SchemaError, Fault as `postgresFault` returns it
 */
export async function fromPostgres<T>(
  url: string,
  use: (source: MoveSource) => Promise<T>,
): Promise<T> {
  return await withClient({ connectionString: url, types: copyTypes }, async (client) => {
    const { rows } = await client.query<{ there: string; tables: string | null }>(`
      select to_regclass('schema_migrations') is not null as there,
        (select string_agg(format('%I', relname), ', ') from pg_class
          where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace) as tables`)
    const [found] = rows
    if (found?.there !== 't' || found.tables === null)
      throw new MoveError(`there is no Parley database at ${placeOf(url)}`)
    await client.query(`begin isolation level repeatable read; ${withoutTimeouts}`)
    // Before the first query, which takes the snapshot.
    await client.query(`lock table ${found.tables} in share mode`).catch(refuseLocked)
    if (await isUsed(client)) throw new MoveError(liveSource)
    refuseOtherSchema(statusOf(readMigrations('postgres'), await readApplied(client)))
    const { header } = await postgresRows(client, Date.now())
    return await use(new PostgresSource(client, placeOf(url), header))
  })
}

function refuseLocked(error: unknown): never {
  throw codeOf(error) === lockNotAvailable ? new MoveError(liveSource, { cause: error }) : error
}

class PostgresSource implements MoveSource {
  readonly place: string
  readonly header: CopyHeader
  private readonly client: Client

  constructor(client: Client, place: string, header: CopyHeader) {
    this.client = client
    this.place = place
    this.header = header
  }

  async tables(): Promise<readonly MoveTable[]> {
    const { rows } = await this.client.query<{ name: string; key: string }>(`
      select c.relname as name, json_agg(a.attname order by k.position) as key
      from pg_index as i
      join pg_class as c on c.oid = i.indrelid
      cross join lateral unnest(i.indkey) with ordinality as k (attnum, position)
      join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indisprimary and c.relnamespace = current_schema()::regnamespace
      group by c.relname`)
    const keys = new Map(rows.map(({ name, key }) => [name, JSON.parse(key)]))
    return this.header.tables.map((shape) => ({ ...shape, key: keys.get(shape.name) ?? [] }))
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.client.query<{ rows: number }>(
      `select count(*) as rows from ${quoted(table)}`,
    )
    return rows[0]?.rows ?? 0
  }

  async page(
    { name, columns, key }: MoveTable,
    after: Key | null,
    limit: number,
  ): Promise<readonly (readonly Cell[])[]> {
    const order = key.map(quoted).join(', ')
    const places = key.map((_, at) => `$${at + 1}`).join(', ')
    const where = after === null ? '' : `where (${order}) > (${places})`
    const list = columns.map(quoted).join(', ')
    const text = `select ${list} from ${quoted(name)} ${where} order by ${order} limit ${limit}`
    const values = [...(after ?? [])]
    return (await this.client.query<Cell[]>({ text, values, rowMode: 'array' })).rows
  }

  async *batches(table: MoveTable) {
    for await (const { rows } of readBatches(this.client, [table])) yield rows
  }
}
