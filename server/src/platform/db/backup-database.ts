import { existsSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { openCopyFile, writeCopyFile } from './copy-file.ts'
import type { Engine } from './database.ts'
import { writeWhole } from './durable-file.ts'
import { loadPostgres } from './load-postgres.ts'
import { loadSqlite } from './load-sqlite.ts'
import { sqliteFile, type DatabaseConfig } from './open-database.ts'
import { copyTypes, postgresRows } from './postgres-copy.ts'
import { postgresFault } from './postgres-errors.ts'
import { schemaOf, type CopyProgress, type RowSource } from './row-source.ts'
import {
  backupSqlite,
  BackupError,
  checkedDraft,
  restoreSqlite,
  type CheckedCopy,
} from './sqlite-backup.ts'
import { sqliteRows } from './sqlite-copy.ts'

/**
 * Backs up the database that `config` names while it is in use, as of one moment, and checks it. Of
 * SQLite the backup is a database file, of PostgreSQL a copy file (copy-file.ts); `restoreDatabase`
 * takes either into either.
 *
 * @throws BackupError, SchemaError, Fault database_unavailable
 */
export async function backupDatabase(
  config: DatabaseConfig,
  toFile: string,
  onProgress: CopyProgress = () => undefined,
): Promise<CheckedCopy> {
  const { databaseUrl: url } = config
  if (url !== undefined)
    return await writeWhole(toFile, (draft) => copyPostgres(url, draft, onProgress))
  const file = sqliteFile(config)
  if (!existsSync(file))
    throw new BackupError(
      `there is no database in ${dirname(file)}: give the DATA_DIR of the service`,
    )
  return await backupSqlite(file, toFile)
}

async function copyPostgres(
  connectionString: string,
  draft: string,
  onProgress: CopyProgress,
): Promise<CheckedCopy> {
  const client = new Client({ connectionString, types: copyTypes })
  // The statement under way rejects with the error of a lost connection; without a listener that
  // error would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read, read only')
    await writeCopyFile(draft, await postgresRows(client, Date.now()), onProgress)
  } catch (error) {
    throw postgresFault(error)
  } finally {
    await client.end()
  }
  const { header } = await openCopyFile(draft)
  return { ...factsOf(header), bytes: (await stat(draft)).size }
}

export interface RestoreOptions {
  /** Replaces a database that holds something. */
  readonly force: boolean
  /** Epoch milliseconds, for the name that a replaced SQLite database is kept under. */
  readonly now: number
  readonly onProgress?: CopyProgress
}

export interface RestoredDatabase extends CheckedCopy {
  /** Where the SQLite database that was there is now; null when there was none. */
  readonly replaced: string | null
  /** True when the copy was of the other engine: its full-text index did not come along. */
  readonly needsIndex: boolean
}

/**
 * Puts a backup in place of the database that `config` names, all of it or nothing. The whole file is
 * checked before anything is touched. An older schema is brought to the present one (on SQLite at
 * the next start).
 *
 * @throws BackupError when the file is damaged or no backup, a service uses the database, or it holds
 *   something and `force` is not given; SchemaError when the backup is newer than this service
 */
export async function restoreDatabase(
  config: DatabaseConfig,
  fromFile: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  if (!existsSync(fromFile)) throw new BackupError('there is no such file')
  return (await isGzip(fromFile))
    ? await restoreCopyFile(config, fromFile, options)
    : await restoreSqliteFile(config, fromFile, options)
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b // RFC 1952 §2.3.1
  } finally {
    await handle.close()
  }
}

async function restoreCopyFile(
  config: DatabaseConfig,
  fromFile: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  const source = await openCopyFile(fromFile)
  const { bytes, replaced } =
    config.databaseUrl === undefined
      ? await intoSqlite(sqliteFile(config), source, options)
      : await intoPostgres(config.databaseUrl, source, fromFile, options)
  return { ...factsOf(source.header), bytes, replaced, needsIndex: crosses(config, source) }
}

async function intoSqlite(file: string, source: RowSource, options: RestoreOptions) {
  const built = `${file}.${process.pid}.loading`
  try {
    await rm(built, { force: true })
    await loadSqlite(built, source, options.onProgress ?? (() => undefined))
    return await restoreSqlite(built, file, { replace: options.force, now: options.now })
  } finally {
    await rm(built, { force: true })
  }
}

async function intoPostgres(
  url: string,
  source: RowSource,
  fromFile: string,
  { force, onProgress }: RestoreOptions,
) {
  await loadPostgres({ url, replace: force }, source, onProgress ?? (() => undefined))
  return { bytes: (await stat(fromFile)).size, replaced: null }
}

async function restoreSqliteFile(
  config: DatabaseConfig,
  fromFile: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  const { databaseUrl: url } = config
  if (url === undefined) {
    const how = { replace: options.force, now: options.now }
    return { ...(await restoreSqlite(fromFile, sqliteFile(config), how)), needsIndex: false }
  }
  // Restores from a checked copy of its own: the file given may be a database in use.
  const checked = `${fromFile}.${process.pid}.moving`
  try {
    await checkedDraft(fromFile, checked)
    return await moveSqlite(url, checked, options)
  } finally {
    await rm(checked, { force: true })
  }
}

async function moveSqlite(
  url: string,
  file: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  const raw = new DatabaseSync(file, { readOnly: true })
  try {
    const source = sqliteRows(raw, options.now)
    const { bytes, replaced } = await intoPostgres(url, source, file, options)
    return { ...factsOf(source.header), bytes, replaced, needsIndex: true }
  } finally {
    raw.close()
  }
}

function factsOf(header: RowSource['header']) {
  return { schema: schemaOf(header), keyFingerprint: header.keyFingerprint }
}

function crosses(config: DatabaseConfig, { header }: RowSource): boolean {
  const target: Engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres'
  return header.engine !== target
}
