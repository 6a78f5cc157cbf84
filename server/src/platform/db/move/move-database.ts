import { resolve } from 'node:path'
import { sqliteFile, type DatabaseConfig } from '#platform/db/open-database.ts'
import type { Cell } from '#platform/db/row-source.ts'
import {
  MoveError,
  type Key,
  type MoveSource,
  type MoveTable,
  type MoveTarget,
  type TableProgress,
  type TargetOptions,
} from './move-sides.ts'
import { tablesToMove } from './move-tables.ts'
import { fromPostgres } from './postgres-source.ts'
import { intoPostgres } from './postgres-target.ts'
import { canonicalLine, hashOf, RowsHash } from './rows-hash.ts'
import { fromSqlite } from './sqlite-source.ts'
import { intoSqlite } from './sqlite-target.ts'

/** Rows of a page grow or shrink until a page is about as long as this. */
const pageBytes = 4 * 1024 * 1024
const firstPageRows = 50
const mostPageRows = 10_000

export interface MoveReport {
  /** Called after every page. */
  copied(table: string, rows: number, ofRows: number): void
  /** Called when count and hash of a table are equal on both sides. */
  verified(table: string, rows: number, hash: string): void
}

export interface Moved {
  readonly place: string
  readonly tables: number
  readonly rows: number
  /** Rows that this run copied; the others are those of an earlier run. */
  readonly copiedRows: number
  /** Of the secret key that sealed the values; null when the database never started. */
  readonly keyFingerprint: string | null
}

/**
 * Moves a database to the other engine. The source stays as it is and is locked meanwhile. The target
 * is built beside an empty database and replaces it when every table has the same number and hash of
 * rows on both sides. Each page of rows is stored with the progress, so an interrupted move continues.
 *
 * @throws MoveError, BackupError, SchemaError, Fault database_unavailable
 */
export async function moveDatabase(
  from: DatabaseConfig,
  to: DatabaseConfig,
  options: Pick<TargetOptions, 'restart' | 'now'> & { readonly report: MoveReport },
): Promise<Moved> {
  if ((from.databaseUrl === undefined) === (to.databaseUrl === undefined))
    throw new MoveError(
      'source and target are of the same engine: use `parley backup` and `parley restore`',
    )
  return await withSource(from, (source) =>
    withTarget(to, { ...options, from: source.place }, (target) =>
      moveRows(source, target, options.report),
    ),
  )
}

async function withSource<T>(
  config: DatabaseConfig,
  use: (source: MoveSource) => Promise<T>,
): Promise<T> {
  const { databaseUrl: url } = config
  return url === undefined
    ? await fromSqlite(resolve(sqliteFile(config)), use)
    : await fromPostgres(url, use)
}

async function withTarget<T>(
  config: DatabaseConfig,
  options: TargetOptions,
  use: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const { databaseUrl: url } = config
  return url === undefined
    ? await intoSqlite(resolve(sqliteFile(config)), options, use)
    : await intoPostgres(url, options, use)
}

async function moveRows(
  source: MoveSource,
  target: MoveTarget,
  report: MoveReport,
): Promise<Moved> {
  const tables = tablesToMove(await source.tables(), await target.tables())
  const progress = await target.progress()
  const sums = new Map<string, RowsHash>()
  let copiedRows = 0
  for (const table of tables) {
    const begun = progress.get(table.name)
    if (begun?.isDone) continue
    const sum = await copyTable({ source, target, report }, table, begun?.after ?? null)
    copiedRows += sum.rows
    // A run that continued a table has read only a part of it.
    if (begun === undefined) sums.set(table.name, sum)
  }
  let rows = 0
  for (const table of tables) {
    const wanted = sums.get(table.name) ?? (await hashOf(source, table))
    await verify(table, wanted, target)
    report.verified(table.name, wanted.rows, wanted.sum())
    rows += wanted.rows
  }
  const { counters, keyFingerprint } = source.header
  await target.finish(counters)
  return { place: target.place, tables: tables.length, rows, copiedRows, keyFingerprint }
}

/** @returns count and hash of what it copied */
async function copyTable(
  { source, target, report }: { source: MoveSource; target: MoveTarget; report: MoveReport },
  table: MoveTable,
  begin: Key | null,
): Promise<RowsHash> {
  const total = await source.count(table.name)
  const sum = new RowsHash()
  let written = Promise.resolve()
  let after = begin
  let limit = firstPageRows
  for (let isDone = false; !isDone;) {
    const rows = await source.page(table, after, limit)
    const bytes = addTo(sum, rows)
    isDone = rows.length < limit
    after = lastKey(table, rows) ?? after
    // The next page is read while this one is written.
    await written
    written = write(target, table, rows, { after, isDone })
    report.copied(table.name, sum.rows, total)
    limit = nextLimit(limit, bytes)
  }
  await written
  return sum
}

/** A failure is thrown by the next `await`, which may be after another event. */
function write(
  target: MoveTarget,
  table: MoveTable,
  rows: readonly (readonly Cell[])[],
  next: TableProgress,
): Promise<void> {
  const written = target.write(table, rows, next)
  written.catch(() => undefined)
  return written
}

/** @returns the length of the rows */
function addTo(sum: RowsHash, rows: readonly (readonly Cell[])[]): number {
  let bytes = 0
  for (const row of rows) {
    const line = canonicalLine(row)
    sum.add(line)
    bytes += line.length
  }
  return bytes
}

function lastKey({ columns, key }: MoveTable, rows: readonly (readonly Cell[])[]): Key | null {
  const last = rows.at(-1)
  return last === undefined ? null : key.map((name) => last[columns.indexOf(name)] ?? null)
}

function nextLimit(limit: number, bytes: number): number {
  const fitting = Math.floor((limit * pageBytes) / Math.max(bytes, 1))
  return Math.max(1, Math.min(mostPageRows, fitting, limit * 10))
}

async function verify(table: MoveTable, wanted: RowsHash, target: MoveTarget): Promise<void> {
  const found = await hashOf(target, table)
  if (found.rows === wanted.rows && found.sum() === wanted.sum()) return
  throw new MoveError(
    `the rows of ${table.name} differ: ${wanted.rows} in the source, ${found.rows} in the target. If the source changed after an interrupted move, add --restart`,
  )
}
