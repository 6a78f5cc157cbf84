import { resolve } from 'node:path'
import type { Config } from '#config'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { isFailedDisk } from '#platform/db/postgres/postgres-errors.ts'
import { secretKeyFile } from '#platform/secret-key.ts'
import { CommandFailure } from './command.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>

/**
 * Runs `work`. An expected failure of the folder, disk, database or key becomes one line that says how
 * to fix it.
 */
export async function explainFailures<T>(place: Place, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw inWords(plainWords(place, error), error)
  }
}

/**
 * The same for work on an open database: its failures arrive as faults, so any other error passes.
 */
export async function explainDatabaseFaults<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw inWords(error instanceof Fault ? plainWords(place, error) : null, error)
  }
}

/** A feature's fault becomes one line; a lost database is left to `explainFailures`. */
export function explainRefusal(error: unknown): never {
  const isRefusal = error instanceof Fault && !isDatabaseLost(error)
  throw inWords(isRefusal ? faultMessage(error) : null, error)
}

function inWords(words: string | null, error: unknown): unknown {
  return words === null ? error : new CommandFailure(words, { cause: error })
}

function isDatabaseLost(error: unknown): boolean {
  return error instanceof Fault && error.code === commonFaults.database_unavailable.code
}

/** Null for an unexpected error. */
function plainWords(place: Place, error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // These errors carry a message written for people.
  if (['SchemaError', 'SecretKeyError', 'ServerError'].includes(error.name)) return error.message
  // The file exists but holds no key: the message begins with its path.
  if (error.message.startsWith(`${secretKeyFile(place.dataDir)} `))
    return `${error.message}: put the key of this database back, or set SECRET_KEY`
  const isLost = isDatabaseLost(error)
  // Any other fault is a feature's refusal, not a failure of disk or database.
  if (error instanceof Fault && !isLost) return null
  const cause = isLost && error.cause instanceof Error ? error.cause : error
  return place.databaseUrl === undefined
    ? aboutDataDir(place.dataDir, cause)
    : aboutPostgres(place.databaseUrl, cause, isLost)
}

function aboutDataDir(dataDir: string, error: Error): string | null {
  if (isElsewhere(dataDir, error)) return null
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
      return `the data folder ${dataDir} cannot be written: give this user the right to, or set DATA_DIR to another`
    case 'EEXIST':
    case 'ENOTDIR':
      return `the data folder ${dataDir} is not a folder: move what is in its way, or set DATA_DIR to another`
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space is left for the data folder ${dataDir}: free some space, or set DATA_DIR to another disk`
    case 'ERR_SQLITE_ERROR':
      return aboutSqlite(dataDir, error)
    default:
      // Other file system errors, such as a name that is too long or a failing disk.
      return 'syscall' in error
        ? `the data folder ${dataDir} cannot be used (${codeOf(error)}): fix that, or set DATA_DIR to another`
        : null
  }
}

/** True for a file that is neither in the data folder nor above it, such as one of our own. */
function isElsewhere(dataDir: string, error: Error): boolean {
  if (!('path' in error) || typeof error.path !== 'string') return false
  const [folder, path] = [resolve(dataDir), resolve(error.path)]
  return !path.startsWith(folder) && !folder.startsWith(path)
}

/** Primary result codes (https://www.sqlite.org/rescode.html). */
const sqliteReadonly = 8
const sqliteIoError = 10
const sqliteCorrupt = 11
const sqliteFull = 13
const sqliteCannotOpen = 14
const sqliteNotADatabase = 26

function aboutSqlite(dataDir: string, error: Error): string | null {
  const extended = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0
  switch (extended & 0xff) {
    case sqliteReadonly:
    case sqliteCannotOpen:
      return `the database in ${dataDir} cannot be written: give this user the right to, or set DATA_DIR to another`
    case sqliteFull:
      return `no space is left for the database in ${dataDir}: free some space`
    case sqliteIoError:
      return `the disk of ${dataDir} fails (${error.message}): check it, and restore a backup`
    case sqliteCorrupt:
    case sqliteNotADatabase:
      return `the database in ${dataDir} is damaged (${error.message}): restore a backup with \`parley restore\``
    default:
      return null
  }
}

/** Explains SQLSTATE codes and socket errors. */
function aboutPostgres(url: string, error: Error, isLost: boolean): string | null {
  const where = addressOf(url)
  const code = codeOf(error)
  if (code !== '53100' && isFailedDisk(error))
    return `the disk of PostgreSQL at ${where} fails (${error.message}): check it`
  switch (code) {
    case '28P01':
    case '28000':
      return `PostgreSQL at ${where} rejects the user or password: check DATABASE_URL`
    case '3D000':
      return `PostgreSQL at ${where} has no such database: create it, or check DATABASE_URL`
    case '42501':
      return `PostgreSQL at ${where} does not let this user create tables: grant it CREATE on the schema`
    case '53300':
      return `PostgreSQL at ${where} grants no further connection: close others, or raise max_connections or the limit of the user or database`
    case '53100':
      return `PostgreSQL at ${where} has no space left: free some space on its disk`
    case 'XX001':
    case 'XX002':
      return `PostgreSQL at ${where} found damaged data (${error.message}): restore a backup into an empty database`
    default:
      // A code with a digit is an SQLSTATE: PostgreSQL was reached and rejected one of our
      // statements.
      if (!isLost && (code === '' || /\d/.test(code))) return null
      return `PostgreSQL at ${where} cannot be reached (${code || error.message}): start it, or check DATABASE_URL`
  }
}

/** Host and database, never user or password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
