import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { applyMigration, readApplied } from './migrate-postgres.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { migrationsTable, planMigrations } from '#platform/db/plan-migrations.ts'
import { readIdentities } from './postgres-copy.ts'
import { withClient } from './postgres-driver.ts'
import { codeOf } from './postgres-errors.ts'
import { vectorIndexTable } from './postgres-vectors.ts'
import {
  batchesInto,
  migrationsTableName,
  quoted,
  refuseUnknownSchema,
  schemaOf,
  type Cell,
  type RowSource,
  type TableShape,
} from '#platform/db/row-source.ts'
import { BackupError, type RestoreOptions } from '#platform/db/sqlite/sqlite-backup.ts'

/** The schema in which the copy is built, next to the tables in use. */
const workshop = 'parley_restore'
const maxParameters = 60_000
const lockNotAvailable = '55P03'

/**
 * Replaces a PostgreSQL database with a copy, in one transaction: the tables are built in a schema of
 * their own, migrated to the newest version, and moved in place of the existing ones. Tables that are
 * not Parley's stay.
 *
 * @throws BackupError when a service uses the database, or it is not empty and `force` is false;
 *   SchemaError when the copy is newer than this service
 */
export async function loadPostgres(
  url: string,
  source: RowSource,
  { force }: Pick<RestoreOptions, 'force'>,
): Promise<void> {
  refuseUnknownSchema('postgres', source.header)
  await withClient({ connectionString: url }, async (client) => {
    await client.query("begin; set local lock_timeout = '5s'")
    try {
      await refuseUsed(client, force)
      const served = await currentSchema(client)
      await client.query(`create schema ${workshop}; set local search_path to ${workshop}`)
      await build(client, source)
      await changePlaces(client, { workshop, served })
      await client.query(`drop schema ${workshop}; commit`)
    } catch (error) {
      throw codeOf(error) === lockNotAvailable ? inUse(error) : error
    }
  })
}

const inUse = (cause?: unknown) =>
  new BackupError('a service has the database open: stop it first', { cause })

async function refuseUsed(client: Client, force: boolean): Promise<void> {
  if (await isUsed(client)) throw inUse()
  if (!force && (await holdsPeople(client)))
    throw new BackupError('the database in place is not empty: add --force to replace it')
}

/** PostgreSQL still lists a connection for a moment after its client has closed it. */
const leaving = { looks: 10, everyMs: 200 }

/** Whether a service is connected to the database, and not one that has just stopped. */
export async function isUsed(client: Client): Promise<boolean> {
  for (let look = 1; await hasService(client); look += 1) {
    if (look === leaving.looks) return true
    await setTimeout(leaving.everyMs)
  }
  return false
}

async function hasService(client: Client): Promise<boolean> {
  // Within a transaction, the view shows what it showed first.
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query(`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'parley'`)
  return rows.length > 0
}

export async function holdsPeople(client: Client): Promise<boolean> {
  const { rows } = await client.query("select 1 where to_regclass('users') is not null")
  if (rows.length === 0) return false
  return (await client.query('select 1 from users limit 1')).rows.length > 0
}

export async function currentSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_schema() as name')
  return quoted(rows[0]?.name ?? 'public')
}

async function build(client: Client, source: RowSource): Promise<void> {
  await client.query(migrationsTable)
  await migrateTo(client, schemaOf(source.header))
  const tables = await emptyTables(client)
  await loadRows(client, source, tables)
  await setCounters(client, source.header.counters)
  await migrateTo(client, Number.POSITIVE_INFINITY)
}

export async function migrateTo(client: Client, newest: number): Promise<void> {
  const wanted = readMigrations('postgres').filter(({ version }) => version <= newest)
  for (const migration of planMigrations(wanted, await readApplied(client)))
    await applyMigration(client, migration)
}

/** Migrations may insert rows that the copy contains as well. @returns the names of the tables */
export async function emptyTables(client: Client): Promise<ReadonlySet<string>> {
  const names = await tablesHere(client)
  const data = names.filter((name) => name !== migrationsTableName)
  if (data.length > 0) await client.query(`truncate ${data.map(quoted).join(', ')}`)
  return new Set(data)
}

async function tablesHere(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`)
  return rows.map(({ name }) => name)
}

async function loadRows(
  client: Client,
  source: RowSource,
  tables: ReadonlySet<string>,
): Promise<void> {
  for await (const { rows, ...shape } of batchesInto(tables, source)) {
    const most = Math.floor(maxParameters / shape.columns.length)
    for (let at = 0; at < rows.length; at += most)
      await insert(client, shape, rows.slice(at, at + most))
  }
}

async function insert(
  client: Client,
  { name, columns }: TableShape,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const list = columns.map(quoted).join(', ')
  const places = rows.map(
    (row, at) => `(${row.map((_, column) => `$${at * columns.length + column + 1}`).join(', ')})`,
  )
  // Keeps the numbers of identity columns, because other rows refer to them.
  const into = `insert into ${quoted(name)} (${list}) overriding system value`
  await client.query(`${into} values ${places.join(', ')}`, rows.flat().map(storable))
}

/** SQLite can store U+0000 in a text; PostgreSQL cannot. */
export function storable<T>(cell: T): T | string {
  return typeof cell === 'string' ? cell.replaceAll('\u0000', '\uFFFD') : cell
}

export async function setCounters(
  client: Client,
  counters: Readonly<Record<string, number>>,
): Promise<void> {
  for (const { table, column, sequence } of await readIdentities(client))
    // SQLite does not count every table that has an identity column here.
    await client.query(
      `select setval($1, last) from (
        select greatest($2::bigint, max(${quoted(column)})) as last from ${quoted(table)}
      ) as numbers where last > 0`,
      [sequence, counters[table] ?? 0],
    )
}

/** Moves everything of the schema `workshop` into `served`, in place of what has the same name there. */
export async function changePlaces(
  client: Client,
  { workshop, served }: { workshop: string; served: string },
): Promise<void> {
  // Its source tables are replaced; the next start rebuilds it.
  await client.query(`drop table if exists ${served}.${vectorIndexTable}`)
  for (const name of (await tablesHere(client)).map(quoted))
    await client.query(
      `drop table if exists ${served}.${name} cascade;
       alter table ${workshop}.${name} set schema ${served}`,
    )
  // Those of the tables that were replaced are gone with them.
  const { rows: statistics } = await client.query<{ name: string }>(
    'select stxname as name from pg_statistic_ext where stxnamespace = $1::regnamespace',
    [workshop],
  )
  for (const { name } of statistics)
    await client.query(`alter statistics ${workshop}.${quoted(name)} set schema ${served}`)
  // Dropping the tables dropped their triggers, so the functions that these called can be dropped.
  for (const call of await functionsIn(client, workshop))
    await client.query(
      `drop function if exists ${served}.${call};
       alter function ${workshop}.${call} set schema ${served}`,
    )
}

/** Names and argument types, as `drop function` needs them. */
async function functionsIn(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ call: string }>(
    `select format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) as call
    from pg_proc where pronamespace = $1::regnamespace`,
    [schema],
  )
  return rows.map(({ call }) => call)
}
