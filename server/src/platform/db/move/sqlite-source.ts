import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '#platform/db/migration-files.ts'
import { statusOf } from '#platform/db/plan-migrations.ts'
import { quoted, type Cell, type RowSource } from '#platform/db/row-source.ts'
import { BackupError, lockAlone } from '#platform/db/sqlite/sqlite-backup.ts'
import { readBatches, sqliteRows } from '#platform/db/sqlite/sqlite-copy.ts'
import { hasTable, readApplied } from '#platform/db/sqlite/sqlite-status.ts'
import { liveSource, MoveError, type Key, type MoveSource, type MoveTable } from './move-sides.ts'
import { refuseOtherSchema } from './move-tables.ts'

/**
 * Opens a SQLite database as the source of a move. No other process can open it until `use` ends.
 *
 * @throws MoveError, SchemaError
 */
export async function fromSqlite<T>(
  file: string,
  use: (source: MoveSource) => Promise<T>,
): Promise<T> {
  if (!existsSync(file))
    throw new MoveError(
      `there is no database in ${dirname(file)}: set DATA_DIR to that of the service`,
    )
  using raw = lock(file)
  if (!hasTable(raw, 'schema_migrations')) throw new MoveError(`${file} is no database of Parley`)
  refuseOtherSchema(statusOf(readMigrations('sqlite'), readApplied(raw)))
  return await use(new SqliteSource(raw, file))
}

function lock(file: string): DatabaseSync {
  try {
    const raw = lockAlone(file)
    if (raw !== null) return raw
  } catch (error) {
    if (error instanceof BackupError) throw new MoveError(liveSource, { cause: error })
    throw error
  }
  throw new MoveError(`${file} is no database of Parley`)
}

class SqliteSource implements MoveSource {
  readonly place: string
  readonly header: RowSource['header']
  private readonly raw: DatabaseSync

  constructor(raw: DatabaseSync, file: string) {
    this.raw = raw
    this.place = `sqlite:${file}`
    this.header = sqliteRows(raw, Date.now()).header
  }

  async tables(): Promise<readonly MoveTable[]> {
    const keys = this.raw.prepare('select name from pragma_table_info(?) where pk > 0 order by pk')
    return this.header.tables.map((shape) => {
      const key = keys.all(shape.name).map(({ name }) => String(name))
      return { ...shape, key }
    })
  }

  async count(table: string): Promise<number> {
    const row = this.raw.prepare(`select count(*) as rows from ${quoted(table)}`).get()
    return Number(row?.rows)
  }

  async page(
    { name, columns, key }: MoveTable,
    after: Key | null,
    limit: number,
  ): Promise<readonly (readonly Cell[])[]> {
    const order = key.map(quoted).join(', ')
    const where = after === null ? '' : `where (${order}) > (${key.map(() => '?').join(', ')})`
    const list = columns.map(quoted).join(', ')
    const statement = this.raw.prepare(
      `select ${list} from ${quoted(name)} ${where} order by ${order} limit ?`,
    )
    statement.setReturnArrays(true)
    // setReturnArrays makes each row an array of SQLite's values.
    return statement.all(...(after ?? []), limit) as unknown as Cell[][]
  }

  async *batches(table: MoveTable) {
    for await (const { rows } of readBatches(this.raw, [table])) yield rows
  }
}
