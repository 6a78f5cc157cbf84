import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '#config'
import { openCopyFile, writeCopyFile } from './copy-file.ts'
import type { Engine } from './database.ts'
import { withDraft, writeWhole } from './durable-file.ts'
import { loadPostgres } from './postgres/load-postgres.ts'
import { loadSqlite } from './sqlite/load-sqlite.ts'
import { sqliteFile, type DatabaseConfig } from './open-database.ts'
import { beginCopy, copyTypes, postgresRows } from './postgres/postgres-copy.ts'
import { withClient } from './postgres/postgres-driver.ts'
import { schemaOf, type CopyHeader, type RowSource } from './row-source.ts'
import {
  backupSqlite,
  BackupError,
  checkedDraft,
  restoreSqlite,
  type CheckedCopy,
  type Restored,
  type RestoreOptions,
} from './sqlite/sqlite-backup.ts'
import { sqliteRows } from './sqlite/sqlite-copy.ts'

export type CopyConfig = DatabaseConfig & Pick<Config, 'backupBytesPerSecond' | 'backupMaxLogBytes'>

/**
 * Backs up the database that `config` names, as of one moment and while it is in use, and checks the
 * backup. A backup of SQLite is a database file, a backup of PostgreSQL a copy file (copy-file.ts);
 * `restoreDatabase` restores either kind into either engine.
 *
 * @throws BackupError, SchemaError, Fault database_unavailable
 */
export async function backupDatabase(config: CopyConfig, toFile: string): Promise<CheckedCopy> {
  const { databaseUrl: url } = config
  if (url !== undefined) return await writeWhole(toFile, (draft) => copyPostgres(url, draft))
  const file = sqliteFile(config)
  if (!existsSync(file))
    throw new BackupError(
      `there is no database in ${dirname(file)}: set DATA_DIR to that of the service`,
    )
  return await backupSqlite(file, toFile, {
    bytesPerSecond: config.backupBytesPerSecond,
    maxLogBytes: config.backupMaxLogBytes,
  })
}

async function copyPostgres(connectionString: string, draft: string): Promise<CheckedCopy> {
  await withClient({ connectionString, types: copyTypes }, async (client) => {
    await beginCopy(client)
    await writeCopyFile(draft, await postgresRows(client, Date.now()))
  })
  const { header } = await openCopyFile(draft)
  return { ...factsOf(header), bytes: (await stat(draft)).size }
}

export interface RestoredDatabase extends Restored {
  /** True when the backup is of the other engine: it does not include this engine's full-text index. */
  readonly needsIndex: boolean
}

/**
 * Replaces the database that `config` names with a backup, completely or not at all. It checks the
 * whole file before it changes anything. An older schema is migrated to the newest one (on SQLite at
 * the next start).
 *
 * @throws BackupError when the file is damaged or no backup, a service uses the database, or the
 *   database is not empty and `force` is false; SchemaError when the backup is newer than this service
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
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b // RFC 1952 §2.3.1
}

async function restoreCopyFile(
  config: DatabaseConfig,
  fromFile: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  const { databaseUrl: url } = config
  const source = await openCopyFile(fromFile)
  const target: Engine = url === undefined ? 'sqlite' : 'postgres'
  const restored =
    url === undefined
      ? await intoSqlite(sqliteFile(config), source, options)
      : await intoPostgres(url, source, fromFile, options)
  return { ...restored, needsIndex: source.header.engine !== target }
}

async function intoSqlite(
  file: string,
  source: RowSource,
  options: RestoreOptions,
): Promise<Restored> {
  return await withDraft(`${file}.${process.pid}.loading`, async (built) => {
    await loadSqlite(built, source)
    return await restoreSqlite(built, file, options)
  })
}

async function intoPostgres(
  url: string,
  source: RowSource,
  fromFile: string,
  { force }: RestoreOptions,
): Promise<Restored> {
  await loadPostgres(url, source, { force })
  return { ...factsOf(source.header), bytes: (await stat(fromFile)).size, replaced: null }
}

async function restoreSqliteFile(
  config: DatabaseConfig,
  fromFile: string,
  options: RestoreOptions,
): Promise<RestoredDatabase> {
  const { databaseUrl: url } = config
  if (url === undefined)
    return { ...(await restoreSqlite(fromFile, sqliteFile(config), options)), needsIndex: false }
  // It loads a checked copy, because the given file may be a database in use.
  return await withDraft(`${fromFile}.${process.pid}.moving`, async (checked) => {
    await checkedDraft(fromFile, checked)
    using raw = new DatabaseSync(checked, { readOnly: true })
    const restored = await intoPostgres(url, sqliteRows(raw, options.now), checked, options)
    return { ...restored, needsIndex: true }
  })
}

function factsOf(header: CopyHeader) {
  return { schema: schemaOf(header), keyFingerprint: header.keyFingerprint }
}
