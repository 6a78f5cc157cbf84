import { commonFaults, Fault } from '#kernel/fault.ts'

/** SQLite's result codes (https://sqlite.org/rescode.html); the low byte is the primary code. */
const busy = 5
const locked = 6
const uniqueViolations: ReadonlySet<number> = new Set([2067, 1555, 2579])
/** SQLITE_IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: the disk or the file has failed. */
const unavailable: ReadonlySet<number> = new Set([10, 11, 13, 14, 26])

export function isBusy(error: unknown): boolean {
  const primary = resultCode(error) & 0xff
  return primary === busy || primary === locked
}

/** True when the disk or the file has failed, so that no statement can succeed. */
export function isStorageLost(error: unknown): boolean {
  return unavailable.has(resultCode(error) & 0xff)
}

/** SQLITE_FULL and the SQLITE_IOERR codes of write, fsync, truncate and directory sync. */
const failedWrites: ReadonlySet<number> = new Set([13, 778, 1034, 1290, 1546])

export function isFailedWrite(error: unknown): error is Error {
  return failedWrites.has(resultCode(error))
}

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, also as the cause of a fault. */
const failedSyncs: ReadonlySet<number> = new Set([1034, 1290])

export function isFailedSync(error: unknown): boolean {
  return failedSyncs.has(resultCode(error instanceof Fault ? error.cause : error))
}

/**
 * Turns the driver errors that callers handle into the same faults as on PostgreSQL; returns any
 * other error unchanged.
 */
export function sqliteFault(error: unknown): unknown {
  const code = resultCode(error)
  if (uniqueViolations.has(code))
    return new Fault(commonFaults.unique_violation, {}, { cause: error })
  if (isStorageLost(error))
    return new Fault(commonFaults.database_unavailable, {}, { cause: error })
  return error
}

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0
}
