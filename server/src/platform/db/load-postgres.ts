import { Client } from 'pg'
import { readMigrations } from './migration-files.ts'
import { appliedQuery, migrationsTable } from './plan-migrations.ts'
import { readIdentities } from './postgres-copy.ts'
import { postgresFault } from './postgres-errors.ts'
import { vectorIndexTable } from './postgres-vectors.ts'
import {
  migrationsTableName,
  refuseUnknownSchema,
  schemaOf,
  type Cell,
  type CopyProgress,
  type RowSource,
  type TableShape,
} from './row-source.ts'
import { BackupError } from './sqlite-backup.ts'

/** Schema that the copy is built in, next to the tables in use. */
const workshop = 'parley_restore'
const maxParameters = 60_000
const undefinedTable = '42P01'
const lockNotAvailable = '55P03'

export interface PostgresTarget {
  readonly url: string
  /** Whether a database that holds something may be replaced. */
  readonly replace: boolean
}

/**
 * Puts a copy in place of a PostgreSQL database, in one transaction: the tables are built in a schema
 * of their own, brought to the present version, and change places with those that were there. Tables
 * that are not Parley's stay.
 *
 * @throws BackupError when a service uses the database, or it holds something and may not be
 *   replaced; SchemaError when the copy is newer than this service
 */
export async function loadPostgres(
  { url, replace }: PostgresTarget,
  source: RowSource,
  onProgress: CopyProgress,
): Promise<void> {
  refuseUnknownSchema('postgres', source.header)
  const client = new Client({ connectionString: url })
  // The statement under way rejects with the error of a lost connection; without a listener that
  // error would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query("begin; set local lock_timeout = '5s'")
    await refuseUsed(client, replace)
    const served = await currentSchema(client)
    await client.query(`create schema ${workshop}; set local search_path to ${workshop}`)
    await build(client, source, onProgress)
    await changePlaces(client, served)
    await client.query(`drop schema ${workshop}; commit`)
  } catch (error) {
    throw codeOf(error) === lockNotAvailable ? inUse(error) : postgresFault(error)
  } finally {
    // Closing the connection rolls back a transaction that is still open.
    await client.end()
  }
}

const inUse = (cause?: unknown) =>
  new BackupError('a service has the database open: stop it first', { cause })

async function refuseUsed(client: Client, replace: boolean): Promise<void> {
  const { rows } = await client.query(`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'parley'`)
  if (rows.length > 0) throw inUse()
  if (!replace && (await holdsPeople(client)))
    throw new BackupError('the database in place is not empty: add --force to replace it')
}

async function holdsPeople(client: Client): Promise<boolean> {
  await client.query('savepoint looking')
  try {
    const { rows } = await client.query('select 1 from users limit 1')
    return rows.length > 0
  } catch (error) {
    if (codeOf(error) !== undefinedTable) throw error
    await client.query('rollback to looking')
    return false
  }
}

async function currentSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_schema() as name')
  return client.escapeIdentifier(rows[0]?.name ?? 'public')
}

async function build(client: Client, source: RowSource, onProgress: CopyProgress): Promise<void> {
  const version = schemaOf(source.header)
  await migrateHere(client, (candidate) => candidate <= version)
  const tables = await emptyTables(client)
  await loadRows(client, source, tables, onProgress)
  await setCounters(client, source.header.counters)
  await migrateHere(client, () => true)
}

async function migrateHere(client: Client, wanted: (version: number) => boolean): Promise<void> {
  await client.query(migrationsTable)
  const { rows: applied } = await client.query(appliedQuery)
  const done = new Set(applied.map(({ version }) => Number(version)))
  for (const { version, name, sql, sha256 } of readMigrations('postgres')) {
    if (done.has(version) || !wanted(version)) continue
    await client.query(sql)
    const insert = `insert into ${migrationsTableName} values ($1, $2, $3, $4)`
    await client.query(insert, [version, name, sha256, Date.now()])
  }
}

/** Migrations may put rows in; the copy has them too. @returns the names of the tables */
async function emptyTables(client: Client): Promise<ReadonlySet<string>> {
  const names = await tablesHere(client)
  const data = names.filter((name) => name !== migrationsTableName)
  if (data.length > 0) await client.query(`truncate ${data.map(escape(client)).join(', ')}`)
  return new Set(data)
}

async function tablesHere(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace`)
  return rows.map(({ name }) => name)
}

async function loadRows(
  client: Client,
  { header, batches }: RowSource,
  tables: ReadonlySet<string>,
  onProgress: CopyProgress,
): Promise<void> {
  const shapes = new Map(header.tables.map((shape) => [shape.name, shape]))
  let done = 0
  for await (const { table, rows } of batches()) {
    const shape = shapes.get(table)
    // A table of the other engine only, such as its full-text index, has no place here.
    if (shape === undefined || !tables.has(table)) continue
    const most = Math.floor(maxParameters / shape.columns.length)
    for (let at = 0; at < rows.length; at += most)
      await insert(client, shape, rows.slice(at, at + most))
    done += rows.length
    onProgress({ table, rows: done })
  }
}

async function insert(
  client: Client,
  { name, columns }: TableShape,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const list = columns.map(escape(client)).join(', ')
  const places = rows.map(
    (row, at) => `(${row.map((_, column) => `$${at * columns.length + column + 1}`).join(', ')})`,
  )
  // The numbers of identity columns are kept: other rows refer to them.
  const into = `insert into ${escape(client)(name)} (${list}) overriding system value`
  await client.query(`${into} values ${places.join(', ')}`, rows.flat().map(storable))
}

/** SQLite may hold U+0000 in a text, which PostgreSQL cannot. */
function storable(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.replaceAll('\u0000', '\uFFFD') : cell
}

async function setCounters(
  client: Client,
  counters: Readonly<Record<string, number>>,
): Promise<void> {
  for (const { table, sequence } of await readIdentities(client)) {
    const last = counters[table] ?? 0
    if (last > 0) await client.query('select setval($1, $2)', [sequence, last])
  }
}

async function changePlaces(client: Client, served: string): Promise<void> {
  // Derived data whose source tables are replaced: the next start rebuilds it.
  await client.query(`drop table if exists ${served}.${vectorIndexTable}`)
  for (const name of (await tablesHere(client)).map(escape(client)))
    await client.query(
      `drop table if exists ${served}.${name} cascade;
       alter table ${workshop}.${name} set schema ${served}`,
    )
  // The triggers were dropped with their tables; now the functions they called can be dropped too.
  for (const call of await functionsHere(client))
    await client.query(
      `drop function if exists ${served}.${call};
       alter function ${workshop}.${call} set schema ${served}`,
    )
}

/** As `drop function` needs them: name and argument types. */
async function functionsHere(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ call: string }>(
    `select format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) as call
    from pg_proc where pronamespace = $1::regnamespace`,
    [workshop],
  )
  return rows.map(({ call }) => call)
}

const escape = (client: Client) => (name: string) => client.escapeIdentifier(name)

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
