import { existsSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFile, writeWhole } from './durable-file.ts'
import { isSealWhole, sealFile } from './file-seal.ts'
import { isBusy, isFailedWrite } from './sqlite-errors.ts'
import { sqliteStatus } from './sqlite-status.ts'

/** A file is not a usable backup, or a backup could not be made; the message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface CheckedCopy {
  readonly bytes: number
  readonly schema: number
  /** Of the secret key that its sealed values need; null in one that never started. */
  readonly keyFingerprint: string | null
}

/** All pages in one step: otherwise every write of a running service restarts the copy. */
const allPages = 2 ** 31 - 1

/**
 * Copies a database that may be in use to `target`, as of one moment. The copy is complete in one
 * file, checked, and on disk before it gets its name.
 *
 * @throws BackupError when the copy fails its check; SchemaError when it is newer than this service
 */
export async function backupSqlite(file: string, target: string): Promise<CheckedCopy> {
  return await writeWhole(target, async (draft) => {
    const checked = await checkedCopy(file, draft)
    await sealFile(draft)
    return checked
  })
}

async function checkedCopy(file: string, draft: string): Promise<CheckedCopy> {
  await copySqlite(file, draft).catch(asBackupErrorOf(draft))
  return checkSqlite(draft)
}

/** The source is only read, so a failed write can only be the copy's. */
function asBackupErrorOf(draft: string): (error: unknown) => never {
  return (error) => {
    if (!isFailedWrite(error)) throw error
    const problem = `its copy cannot be written into ${dirname(draft)} (${error.message})`
    throw new BackupError(`${problem}: make room there`, { cause: error })
  }
}

/** Copies a database that may be in use, as of one moment and into one file, which must not be there. */
export async function copySqlite(file: string, draft: string): Promise<void> {
  // Made first, so that it is never readable by others: a backup holds what the database holds.
  await (await open(draft, 'wx', 0o600)).close()
  await copyPages(file, draft)
}

async function copyPages(file: string, draft: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    await backup(source, draft, { rate: allPages })
  } finally {
    source.close()
  }
  const copy = new DatabaseSync(draft)
  try {
    // The write-ahead log would be a second file.
    copy.exec('pragma journal_mode = delete')
  } finally {
    copy.close()
  }
}

/** Reads every page and index of a database that nothing else has open. */
function checkSqlite(file: string): CheckedCopy {
  const raw = new DatabaseSync(file, { readOnly: true })
  try {
    // One fault is enough; above it SQLite writes a heading.
    const report = String(raw.prepare('pragma integrity_check(1)').get()?.integrity_check)
    if (report !== 'ok') throw new BackupError(`it is damaged: ${report.split('\n').at(-1)}`)
    if (raw.prepare('pragma foreign_key_check').all().length > 0)
      throw new BackupError('it has rows that refer to rows that are not there')
    const schema = sqliteStatus(file).current
    if (schema === 0) throw new BackupError('it holds no Parley database')
    const key = raw.prepare("select value from meta where key = 'secret_key_fingerprint'").get()
    const keyFingerprint = typeof key?.value === 'string' ? key.value : null
    return { bytes: statSync(file).size, schema, keyFingerprint }
  } finally {
    raw.close()
  }
}

export interface Restored extends CheckedCopy {
  /** Where the database that was there is now; null when there was none. */
  readonly replaced: string | null
}

/**
 * Puts a checked copy of `source` in place of the database `file`, which is kept under another name.
 * No process may have it open: it is locked until the swap is done.
 *
 * @param now epoch milliseconds, for the other name
 * @throws BackupError
 */
export async function restoreSqlite(
  source: string,
  file: string,
  options: { readonly replace: boolean; readonly now: number },
): Promise<Restored> {
  const draft = `${file}.${process.pid}.restoring`
  try {
    const checked = await checkedDraft(source, draft)
    const replaced = await swap(draft, file, options)
    await syncFile(dirname(file))
    return { ...checked, replaced }
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * A copy of a backup, or of any other SQLite database of Parley, in a file that is not there yet.
 *
 * @throws BackupError when it is damaged; SchemaError when it is newer than this service
 */
export async function checkedDraft(source: string, draft: string): Promise<CheckedCopy> {
  if (!existsSync(source)) throw new BackupError('there is no such file')
  if ((await isSealWhole(source)) === false)
    throw new BackupError('it is damaged: its checksum does not match')
  await rm(draft, { force: true })
  const checked = await checkedCopy(source, draft).catch(asBackupError)
  await syncFile(draft)
  return checked
}

async function swap(
  draft: string,
  file: string,
  { replace, now }: { readonly replace: boolean; readonly now: number },
): Promise<string | null> {
  if (!existsSync(file)) {
    await rename(draft, file)
    return null
  }
  const lock = lockAlone(file)
  try {
    if (!replace && (lock === null || holdsPeople(lock)))
      throw new BackupError('the database in place is not empty: add --force to replace it')
    const aside = `${file}.replaced-${new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)}`
    await rename(file, aside)
    await rename(draft, file)
    return aside
  } finally {
    lock?.close()
  }
}

/**
 * Holds the database as its only user. Leaving the write-ahead log needs exactly that, and brings
 * all of it into the one file that is then renamed.
 *
 * @returns null for a file that is no database any more
 * @throws BackupError when another process has it open
 */
function lockAlone(file: string): DatabaseSync | null {
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

function holdsPeople(raw: DatabaseSync): boolean {
  const table = raw.prepare("select 1 from sqlite_schema where name = 'users'").get()
  return table !== undefined && raw.prepare('select 1 from users limit 1').get() !== undefined
}

function asBackupError(error: unknown): never {
  const isSqlite = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
  if (isSqlite) throw new BackupError(`it is no database: ${error.message}`, { cause: error })
  throw error
}
