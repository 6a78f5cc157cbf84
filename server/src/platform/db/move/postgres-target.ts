import type { Client } from 'pg'
import { decode, encode } from '#platform/db/copy-line.ts'
import {
  changePlaces,
  currentSchema,
  emptyTables,
  holdsPeople,
  isUsed,
  migrateTo,
  setCounters,
  storable,
} from '#platform/db/postgres/load-postgres.ts'
import { readApplied } from '#platform/db/postgres/migrate-postgres.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { migrationsTable, planMigrations } from '#platform/db/plan-migrations.ts'
import { copyTypes, readBatches, readTables } from '#platform/db/postgres/postgres-copy.ts'
import { withClient } from '#platform/db/postgres/postgres-driver.ts'
import { quoted, type Cell, type CopyHeader, type TableShape } from '#platform/db/row-source.ts'
import {
  dropStateTables,
  liveTarget,
  MoveError,
  refuseOtherMove,
  secondMove,
  stateTableNames,
  stateTables,
  usedTarget,
  type MoveTable,
  type MoveTarget,
  type TableProgress,
  type TargetOptions,
} from './move-sides.ts'
import { reindexConversations } from './move-tables.ts'
import { placeOf, withoutTimeouts } from './postgres-source.ts'

/** The schema in which the copy is built, next to the tables in use. */
const workshop = 'parley_move'
const inWorkshop = `set local search_path to ${workshop}`

/** Builds a copy in a schema of its own. @throws MoveError, Fault as `postgresFault` returns it */
export async function intoPostgres<T>(
  url: string,
  options: TargetOptions,
  use: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  return await withClient({ connectionString: url, types: copyTypes }, async (client) => {
    await inTransaction(client, async () => {
      await refuseUsed(client)
      const there = "select 1 from pg_namespace where nspname = '" + workshop + "'"
      let isBegun = (await client.query(there)).rows.length > 0
      if (isBegun && options.restart) {
        await client.query(`drop schema ${workshop} cascade`)
        isBegun = false
      }
      if (!isBegun) await client.query(`create schema ${workshop}`)
      await client.query(inWorkshop)
      if (isBegun) await refuseOther(client, options)
      else await prepare(client, options.from)
    })
    return await use(new PostgresTarget(client, placeOf(url)))
  })
}

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`begin; ${withoutTimeouts}`)
  const value = await work()
  // A failure ends the connection, which rolls back.
  await client.query('commit')
  return value
}

async function refuseUsed(client: Client): Promise<void> {
  if (await isUsed(client)) throw new MoveError(liveTarget)
  if (await holdsPeople(client)) throw new MoveError(usedTarget)
}

async function refuseOther(client: Client, options: TargetOptions): Promise<void> {
  const { rows } = await client.query<{ place: string }>('select place from move_source')
  refuseOtherMove(rows[0]?.place ?? '', options)
  if (planMigrations(readMigrations('postgres'), await readApplied(client)).length > 0)
    throw new MoveError('an older version began this move: add --restart')
}

/** Creates the newest schema, without what would slow rows down: indexes, references, triggers. */
async function prepare(client: Client, from: string): Promise<void> {
  await client.query(migrationsTable)
  await migrateTo(client, Number.POSITIVE_INFINITY)
  await emptyTables(client)
  const { rows } = await client.query<{ now: string; later: string }>(laterStatements)
  await client.query(stateTables)
  await client.query('insert into move_source values ($1)', [from])
  for (const { now } of rows.toReversed()) await client.query(now)
  for (const [position, { later }] of rows.entries())
    await client.query('insert into move_later values ($1, $2)', [position, later])
}

/**
 * What is removed now, last first, and created later: indexes that belong to no constraint, references
 * (which may need such an index), and triggers.
 */
const laterStatements = `
  select now, later from (
    select 1 as stage, c.relname as name,
      format('drop index %I', c.relname) as now,
      -- Of a table with partitions, it names the table only, without its partitions.
      replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') as later
    from pg_class as c
    where c.relkind in ('i', 'I') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace
      and not exists (
        select from pg_index as i where i.indexrelid = c.oid and i.indisprimary
      )
      and not exists (
        select from pg_constraint as f where f.conindid = c.oid and f.contype <> 'f'
      )
    union all
    select 2, f.conname,
      format('alter table %I drop constraint %I', c.relname, f.conname),
      format('alter table %I add constraint %I %s', c.relname, f.conname, pg_get_constraintdef(f.oid))
    from pg_constraint as f
    join pg_class as c on c.oid = f.conrelid
    where f.contype = 'f' and f.conparentid = 0
      and c.relnamespace = current_schema()::regnamespace
    union all
    select distinct 3, c.relname,
      format('alter table %I disable trigger user', c.relname),
      format('alter table %I enable trigger user', c.relname)
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace
  ) as statements
  order by stage, name`

class PostgresTarget implements MoveTarget {
  readonly place: string
  private readonly client: Client
  /** The keys up to which this process knows the copy to be; a second process would be further. */
  private readonly stored = new Map<string, string | null>()

  constructor(client: Client, place: string) {
    this.client = client
    this.place = place
  }

  async tables(): Promise<readonly TableShape[]> {
    const tables = await this.inCopy(() => readTables(this.client))
    return tables.filter(({ name }) => !stateTableNames.includes(name))
  }

  async progress(): Promise<ReadonlyMap<string, TableProgress>> {
    const { rows } = await this.inCopy(() =>
      this.client.query<{ name: string; last_key: string | null; is_done: number }>(
        'select name, last_key, is_done from move_progress',
      ),
    )
    for (const { name, last_key: key } of rows) this.stored.set(name, key)
    return new Map(
      rows.map(({ name, last_key: key, is_done: isDone }) => [
        name,
        { after: keyOf(key), isDone: isDone === 1 },
      ]),
    )
  }

  async write(
    { name, columns }: MoveTable,
    rows: readonly (readonly Cell[])[],
    { after, isDone }: TableProgress,
  ): Promise<void> {
    const key = after === null ? null : JSON.stringify(after.map(encode))
    await this.inCopy(async () => {
      if (rows.length > 0)
        await this.client.query(insertion(name, columns), [jsonOf(columns, rows)])
      await this.advance(name, key, isDone)
    })
    this.stored.set(name, key)
  }

  private async advance(name: string, key: string | null, isDone: boolean): Promise<void> {
    const before = this.stored.get(name)
    const { rowCount } =
      before === undefined
        ? await this.client.query(
            'insert into move_progress values ($1, $2, $3) on conflict do nothing',
            [name, key, Number(isDone)],
          )
        : await this.client.query(
            `update move_progress set last_key = $2, is_done = $3
             where name = $1 and last_key is not distinct from $4`,
            [name, key, Number(isDone), before],
          )
    if (rowCount !== 1) throw new MoveError(secondMove)
  }

  async *batches(table: TableShape) {
    await this.client.query(`begin; ${withoutTimeouts}; ${inWorkshop}`)
    for await (const { rows } of readBatches(this.client, [table])) yield rows
    await this.client.query('commit')
  }

  async finish(counters: CopyHeader['counters']): Promise<void> {
    const { client } = this
    await inTransaction(client, async () => {
      await refuseUsed(client)
      const served = await currentSchema(client)
      await client.query(inWorkshop)
      const { rows } = await client.query<{ statement: string }>(
        'select statement from move_later order by position',
      )
      for (const { statement } of rows) await client.query(statement)
      await client.query(`${dropStateTables}; ${reindexConversations}`)
      await setCounters(client, counters)
      await changePlaces(client, { workshop, served })
      await client.query(`drop schema ${workshop}`)
    })
    // The server knows nothing of the new tables yet, and would choose slow plans.
    await client.query('analyze')
  }

  private async inCopy<T>(work: () => Promise<T>): Promise<T> {
    return await inTransaction(this.client, async () => {
      await this.client.query(inWorkshop)
      return await work()
    })
  }
}

/** One JSON value for all rows is faster than a parameter for each value. */
function insertion(name: string, columns: readonly string[]): string {
  const list = columns.map(quoted).join(', ')
  const from = `json_populate_recordset(null::${quoted(name)}, $1::json)`
  // Keeps the numbers of identity columns, because other rows refer to them.
  return `insert into ${quoted(name)} (${list}) overriding system value select ${list} from ${from}`
}

function jsonOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, jsonCell(row[at])]))),
  )
}

/** The server reads a text with the input function of the column's type. */
function jsonCell(cell: Cell | undefined): string | number | null {
  if (cell instanceof Uint8Array) return `\\x${Buffer.from(cell).toString('hex')}`
  if (typeof cell === 'bigint') return String(cell)
  return storable(cell ?? null)
}

function keyOf(stored: string | null): readonly Cell[] | null {
  if (stored === null) return null
  const values: unknown = JSON.parse(stored)
  return Array.isArray(values) ? values.map(decode) : null
}
