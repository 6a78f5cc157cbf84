import { existsSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Pacer, stepBytes, type CopyPace } from '#platform/db/copy-pace.ts'
import { syncFile, withDraft, writeWhole } from '#platform/db/durable-file.ts'
import { isSealWhole, sealFile } from '#platform/db/file-seal.ts'
import { isBusy, isFailedWrite } from './sqlite-errors.ts'
import { hasTable, readFingerprint, sqliteStatus } from './sqlite-status.ts'

/** A file is not a usable backup, or creating a backup failed; the message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface CheckedCopy {
  readonly bytes: number
  readonly schema: number
  /** Of the secret key that sealed its values; null when the database never started. */
  readonly keyFingerprint: string | null
}

const allPages = 2 ** 31 - 1

/**
 * Copies a database that may be in use to `target`, as of one moment. The copy is one complete file,
 * which is checked and flushed to disk before it gets its name.
 *
 * @throws BackupError when the copy fails its check; SchemaError when it is newer than this service
 */
export async function backupSqlite(
  file: string,
  target: string,
  pace: CopyPace,
): Promise<CheckedCopy> {
  return await writeWhole(target, async (draft) => {
    const checked = await checkedCopy(file, draft, pace)
    await sealFile(draft)
    return checked
  })
}

async function checkedCopy(file: string, draft: string, pace?: CopyPace): Promise<CheckedCopy> {
  await copySqlite(file, draft, pace).catch(asBackupErrorOf(draft))
  return checkSqlite(draft)
}

/** The source is only read, so a failed write is always one of the copy. */
function asBackupErrorOf(draft: string): (error: unknown) => never {
  return (error) => {
    if (!isFailedWrite(error)) throw error
    const problem = `its copy cannot be written into ${dirname(draft)} (${error.message})`
    throw new BackupError(`${problem}: make room there`, { cause: error })
  }
}

/**
 * Copies a database that may be in use, as of one moment, into one file, which must not exist. With a
 * pace, it pauses between steps.
 */
export async function copySqlite(file: string, draft: string, pace?: CopyPace): Promise<void> {
  // Created first with this mode, so that other users can never read it.
  await (await open(draft, 'wx', 0o600)).close()
  using source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  // Within a read transaction, writes of other connections do not restart the copy.
  source.exec('begin; select 1 from sqlite_schema')
  if (pace === undefined) await backup(source, draft, { rate: allPages })
  else await copyPaced(source, { file, draft, pace })
  using copy = new DatabaseSync(draft)
  // The write-ahead log would be a second file.
  copy.exec('pragma journal_mode = delete')
}

async function copyPaced(
  source: DatabaseSync,
  { file, draft, pace }: { file: string; draft: string; pace: CopyPace },
): Promise<void> {
  const pageBytes = Number(source.prepare('pragma page_size').get()?.page_size)
  const pacer = new Pacer(file, draft, pace)
  try {
    const progress = () => pacer.afterStep()
    await backup(source, draft, { rate: Math.ceil(stepBytes / pageBytes), progress })
  } finally {
    pacer.close()
  }
}

/** Reads every page and index of a database that nothing else has open. */
function checkSqlite(file: string): CheckedCopy {
  using raw = new DatabaseSync(file, { readOnly: true })
  // SQLite puts a heading above the first problem.
  const report = String(raw.prepare('pragma integrity_check(1)').get()?.integrity_check)
  if (report !== 'ok') throw new BackupError(`it is damaged: ${report.split('\n').at(-1)}`)
  refuseBrokenReferences(raw)
  const schema = sqliteStatus(file).current
  if (schema === 0) throw new BackupError('it holds no Parley database')
  return { bytes: statSync(file).size, schema, keyFingerprint: readFingerprint(raw) }
}

/** @throws BackupError */
export function refuseBrokenReferences(raw: DatabaseSync): void {
  if (raw.prepare('pragma foreign_key_check').all().length > 0)
    throw new BackupError('it has rows that refer to missing rows')
}

export interface RestoreOptions {
  /** Replaces a database that is not empty. */
  readonly force: boolean
  /** Epoch milliseconds, for the name under which a replaced SQLite database is kept. */
  readonly now: number
}

export interface Restored extends CheckedCopy {
  /** Where the replaced SQLite database is now; null when there was none. */
  readonly replaced: string | null
}

/**
 * Replaces the database `file` with a checked copy of `source` and keeps it under another name. No
 * process may have it open: it is locked until the swap is done.
 *
 * @throws BackupError
 */
export async function restoreSqlite(
  source: string,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  return await withDraft(`${file}.${process.pid}.restoring`, async (draft) => {
    const checked = await checkedDraft(source, draft)
    const replaced = await swap(draft, file, options)
    await syncFile(dirname(file))
    return { ...checked, replaced }
  })
}

/**
 * Copies a backup, or any other SQLite database of Parley, to a file that does not exist yet.
 *
 * @throws BackupError when it is damaged; SchemaError when it is newer than this service
 */
export async function checkedDraft(source: string, draft: string): Promise<CheckedCopy> {
  if ((await isSealWhole(source)) === false)
    throw new BackupError('it is damaged: its checksum does not match')
  const checked = await checkedCopy(source, draft).catch(asBackupError)
  await syncFile(draft)
  return checked
}

/** Gives the database `draft` the name `file`. @returns where a replaced database is now */
export async function swap(
  draft: string,
  file: string,
  { force, now }: RestoreOptions,
): Promise<string | null> {
  if (!existsSync(file)) {
    await rename(draft, file)
    return null
  }
  using lock = lockAlone(file)
  if (!force && (lock === null || holdsPeople(lock)))
    throw new BackupError('the database in place is not empty: add --force to replace it')
  const aside = `${file}.replaced-${new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)}`
  await rename(file, aside)
  await rename(draft, file)
  return aside
}

/**
 * Locks the database for this process alone. Only then can SQLite leave the write-ahead log, which
 * moves all of its content into the file that is renamed afterwards.
 *
 * @returns null for a file that is no longer a database
 * @throws BackupError when another process has it open
 */
export function lockAlone(file: string): DatabaseSync | null {
  const raw = new DatabaseSync(file, { timeout: 1_000 })
  try {
    raw.exec('pragma locking_mode = exclusive')
    const mode = raw.prepare('pragma journal_mode = delete').get()?.journal_mode
    if (mode === 'delete') {
      raw.exec('begin exclusive')
      return raw
    }
  } catch (error) {
    if (!isBusy(error)) {
      raw.close()
      return null
    }
  }
  raw.close()
  throw new BackupError('a service has the database open: stop it first')
}

export function holdsPeople(raw: DatabaseSync): boolean {
  return hasTable(raw, 'users') && raw.prepare('select 1 from users limit 1').get() !== undefined
}

function asBackupError(error: unknown): never {
  const isSqlite = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
  if (isSqlite) throw new BackupError(`it is not a database: ${error.message}`, { cause: error })
  throw error
}
