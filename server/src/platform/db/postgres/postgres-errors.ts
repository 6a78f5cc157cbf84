import { commonFaults, Fault } from '#kernel/fault.ts'

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const serializationFailure = '40001'
const deadlockDetected = '40P01'
const uniqueViolation = '23505'
const featureNotSupported = '0A000'

const tooManyConnections = '53300'
/** disk_full and io_error. */
const failedDisk = /^(?:53100|58030)$/
/** What the server also reports when one of its own files is on a read-only disk. */
const insufficientPrivilege = '42501'
/** The parts of the server that write its files. */
const writers = /^(?:md|fd|slru|xlog|copydir)\.c$/
const protocolViolation = '08P01'

/**
 * Connection exceptions, shutdown, too many connections or too little memory, a session that idled in its
 * unit, a read-only server (a standby), a statement or lock that took too long, and errors of the
 * socket and the resolver.
 */
const unavailable =
  /^(?:08...|57P0[1235]|53[23]00|25P03|25006|57014|55P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN)$/
/** Messages of driver errors that have no code. */
const closedByDriver =
  /Connection terminated|connection error and is not queryable|was closed and is not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end/

/**
 * True when a migration changed a table for which this connection has prepared statements. They
 * all fail from then on, so the connection must be replaced; a new one sees the changed table.
 */
export function hasStalePlan(error: unknown): boolean {
  return (
    codeOf(error) === featureNotSupported &&
    error instanceof Error &&
    error.message.includes('cached plan must not change result type')
  )
}

/** True when the server, or a pooler in front of it, grants no further connection. */
export function isRefusedConnection(error: unknown): boolean {
  const code = codeOf(error)
  if (code === tooManyConnections) return true
  return code === protocolViolation && error instanceof Error && noMore.test(error.message)
}

/** PgBouncer's messages. */
const noMore = /^no more connections allowed/

/** True when the server's disk is full, read-only or fails. */
export function isFailedDisk(error: unknown): boolean {
  const code = codeOf(error)
  if (failedDisk.test(code)) return true
  const isOfServer = error instanceof Error && 'file' in error && writers.test(String(error.file))
  return code === insufficientPrivilege && isOfServer
}

/** True when the server cancelled a statement that took too long: nothing of it is stored. */
export function isCancelled(error: unknown): boolean {
  return /^(?:57014|55P03)$/.test(codeOf(error))
}

/** True for failures that replaying the whole unit may fix. */
export function isReplayable(error: unknown): boolean {
  const code = codeOf(error instanceof Fault ? error.cause : error)
  return code === serializationFailure || code === deadlockDetected || hasStalePlan(error)
}

/**
 * Turns the driver errors that callers handle into the same faults as on SQLite; returns any other
 * error unchanged.
 */
export function postgresFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === uniqueViolation)
    return new Fault(commonFaults.unique_violation, {}, { cause: error })
  const lost =
    unavailable.test(code) ||
    isFailedDisk(error) ||
    (error instanceof Error && closedByDriver.test(error.message))
  return lost ? new Fault(commonFaults.database_unavailable, {}, { cause: error }) : error
}

/** SQLSTATE, or the system's code for an error of the socket; empty when there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
