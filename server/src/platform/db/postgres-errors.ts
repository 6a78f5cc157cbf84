import { commonFaults, Fault } from '#kernel/fault.ts'

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const serializationFailure = '40001'
const deadlockDetected = '40P01'
const uniqueViolation = '23505'
const featureNotSupported = '0A000'

/**
 * Connection exceptions, shutdown, too many connections, full disk, a session that idled in its
 * unit, a server that only reads (a standby), and what the socket and the resolver report.
 */
const unavailable =
  /^(?:08...|57P0[1235]|53[123]00|25P03|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN)$/
/** The driver gives these no code. */
const closedByDriver =
  /Connection terminated|connection error and is not queryable|was closed and is not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end/

/**
 * True when a newer version changed a table under the statements that this connection keeps: each
 * fails from then on, so the connection is of no use any more. Another one knows the table as it is.
 */
export function hasStalePlan(error: unknown): boolean {
  return (
    codeOf(error) === featureNotSupported &&
    error instanceof Error &&
    error.message.includes('cached plan must not change result type')
  )
}

/** True for failures that a replay of the whole unit may cure. */
export function isReplayable(error: unknown): boolean {
  const code = codeOf(error instanceof Fault ? error.cause : error)
  return code === serializationFailure || code === deadlockDetected || hasStalePlan(error)
}

/**
 * Turns the driver errors that callers handle into faults, the same as on SQLite; returns any other
 * error unchanged.
 */
export function postgresFault(error: unknown): unknown {
  const code = codeOf(error)
  if (code === uniqueViolation)
    return new Fault(commonFaults.unique_violation, {}, { cause: error })
  const lost =
    unavailable.test(code) || (error instanceof Error && closedByDriver.test(error.message))
  return lost ? new Fault(commonFaults.database_unavailable, {}, { cause: error }) : error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
