import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDataFolder } from '#platform/data-folder.ts'
import { decode, encode } from '#platform/db/copy-line.ts'
import { syncFile } from '#platform/db/durable-file.ts'
import { createSchema, setCounters } from '#platform/db/sqlite/load-sqlite.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { planMigrations } from '#platform/db/plan-migrations.ts'
import { quoted, type Cell, type CopyHeader, type TableShape } from '#platform/db/row-source.ts'
import {
  BackupError,
  lockAlone,
  holdsPeople,
  refuseBrokenReferences,
  swap,
} from '#platform/db/sqlite/sqlite-backup.ts'
import { readBatches, sqliteTables } from '#platform/db/sqlite/sqlite-copy.ts'
import { isBusy } from '#platform/db/sqlite/sqlite-errors.ts'
import { hasTable, readApplied } from '#platform/db/sqlite/sqlite-status.ts'
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

/**
 * Builds a copy in the file beside `file` whose name ends with `.moving`. `finish` gives it its name.
 *
 * @throws MoveError
 */
export async function intoSqlite<T>(
  file: string,
  options: TargetOptions,
  use: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  makeDataFolder(dirname(file))
  refuseUsed(file)
  const draft = `${file}.moving`
  if (options.restart) await removeDraft(draft)
  // Created with this mode, so that other users can never read it.
  await (await open(draft, 'a', 0o600)).close()
  using raw = openDraft(draft, options)
  return await use(new SqliteTarget(raw, file, options))
}

function refuseUsed(file: string): void {
  if (!existsSync(file)) return
  try {
    using lock = lockAlone(file)
    if (lock === null || holdsPeople(lock)) throw new MoveError(usedTarget)
  } catch (error) {
    if (error instanceof BackupError) throw new MoveError(liveTarget, { cause: error })
    throw error
  }
}

async function removeDraft(draft: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    await rm(`${draft}${suffix}`, { force: true })
}

/** Opens the copy for this process alone, and prepares it if no earlier run has. */
function openDraft(draft: string, options: TargetOptions): DatabaseSync {
  const raw = new DatabaseSync(draft, { timeout: 1_000 })
  try {
    raw.exec('pragma locking_mode = exclusive; pragma journal_mode = wal')
    raw.exec('pragma synchronous = normal; pragma foreign_keys = off; begin immediate')
    if (hasTable(raw, 'move_source')) {
      refuseOtherMove(String(raw.prepare('select place from move_source').get()?.place), options)
      if (planMigrations(readMigrations('sqlite'), readApplied(raw)).length > 0)
        throw new MoveError('an older version began this move: add --restart')
    } else prepare(raw, options.from)
    raw.exec('commit')
    return raw
  } catch (error) {
    raw.close()
    throw isBusy(error) ? new MoveError(secondMove, { cause: error }) : error
  }
}

/** Creates the newest schema, without the indexes and triggers that would slow rows down. */
function prepare(raw: DatabaseSync, from: string): void {
  createSchema(raw, Number.POSITIVE_INFINITY)
  const tables = sqliteTables(raw).map(({ name }) => name)
  raw.exec(stateTables)
  raw.prepare('insert into move_source values (?)').run(from)
  const objects = raw
    .prepare(
      `select type, name, sql from sqlite_schema
       where type in ('index', 'trigger') and sql is not null
         and tbl_name in (select value from json_each(?))
       order by type, name`,
    )
    .all(JSON.stringify(tables))
  const later = raw.prepare('insert into move_later values (?, ?)')
  for (const [position, { type, name, sql }] of objects.entries()) {
    later.run(position, String(sql))
    raw.exec(`drop ${String(type)} ${quoted(String(name))}`)
  }
}

class SqliteTarget implements MoveTarget {
  readonly place: string
  private readonly raw: DatabaseSync
  private readonly file: string
  private readonly now: number

  constructor(raw: DatabaseSync, file: string, { now }: TargetOptions) {
    this.raw = raw
    this.file = file
    this.now = now
    this.place = `sqlite:${file}`
  }

  async tables(): Promise<readonly TableShape[]> {
    return sqliteTables(this.raw).filter(({ name }) => !stateTableNames.includes(name))
  }

  async progress(): Promise<ReadonlyMap<string, TableProgress>> {
    const rows = this.raw.prepare('select name, last_key, is_done from move_progress').all()
    return new Map(
      rows.map(({ name, last_key: key, is_done: isDone }) => [
        String(name),
        { after: keyOf(key), isDone: isDone === 1 },
      ]),
    )
  }

  async write(
    { name, columns }: MoveTable,
    rows: readonly (readonly Cell[])[],
    { after, isDone }: TableProgress,
  ): Promise<void> {
    const places = columns.map(() => '?').join(', ')
    const list = columns.map(quoted).join(', ')
    this.raw.exec('begin')
    const insert = this.raw.prepare(`insert into ${quoted(name)} (${list}) values (${places})`)
    for (const row of rows) insert.run(...row)
    this.raw
      .prepare('insert or replace into move_progress values (?, ?, ?)')
      .run(name, after === null ? null : JSON.stringify(after.map(encode)), Number(isDone))
    this.raw.exec('commit')
  }

  async *batches(table: TableShape) {
    for await (const { rows } of readBatches(this.raw, [table])) yield rows
  }

  async finish(counters: CopyHeader['counters']): Promise<void> {
    const { raw, file } = this
    const later = raw.prepare('select statement from move_later order by position').all()
    raw.exec('begin')
    for (const { statement } of later) raw.exec(String(statement))
    raw.exec(`${dropStateTables}; ${reindexConversations}`)
    setCounters(raw, counters)
    refuseBrokenReferences(raw)
    raw.exec('commit; pragma journal_mode = delete')
    raw.close()
    const draft = `${file}.moving`
    await syncFile(draft)
    await swap(draft, file, { force: false, now: this.now })
    await syncFile(dirname(file))
  }
}

function keyOf(stored: unknown): readonly Cell[] | null {
  if (typeof stored !== 'string') return null
  const values: unknown = JSON.parse(stored)
  return Array.isArray(values) ? values.map(decode) : null
}
