import { z } from 'zod'
import { defaultPostgresLimits as limits } from '#platform/db/postgres/postgres-limits.ts'
import { integer, variable } from './variable.ts'

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
  .optional()

const longestMs = 3_600_000
const duration = integer(1, longestMs)

export const databaseVariables = {
  DATABASE_URL: variable(
    databaseUrl,
    'A `postgres://` URL: Parley stores everything in this PostgreSQL database. If unset, it uses SQLite in `DATA_DIR`.',
    { secret: true },
  ),
  DATABASE_READ_URL: variable(
    databaseUrl,
    'A `postgres://` URL of a standby of `DATABASE_URL` (streaming replication), with the same user and database. Lists, figures and exports are then read from it. The service also runs while it is behind or down: the primary serves these reads.',
    { secret: true },
  ),
  DATABASE_READ_MAX_LAG_MS: variable(
    integer(100, longestMs),
    'How old the rows of that standby may be. When it is further behind, the primary serves the reads. What a process has changed in a workspace, its reads contain in any case.',
    { fallback: String(limits.databaseReadMaxLagMs) },
  ),
  DATABASE_POOL_SIZE: variable(
    integer(1, 500),
    'Connections to PostgreSQL per process: `WORKERS` processes open as many each. A process opens up to half as many to `DATABASE_READ_URL`.',
    { fallback: '20' },
  ),
  DATABASE_POOLER: variable(
    z.enum(['none', 'transaction'], 'must be none or transaction'),
    'What is between Parley and PostgreSQL: `transaction` for a pooler such as PgBouncer in transaction mode. Parley then keeps nothing in a session of the server: statements have no names, and settings and locks end with their transaction. A pooler in session mode needs no setting.',
    { fallback: limits.databasePooler },
  ),
  DATABASE_CONNECT_TIMEOUT_MS: variable(
    duration,
    'How long opening a connection to PostgreSQL may take.',
    { fallback: String(limits.databaseConnectTimeoutMs) },
  ),
  DATABASE_WAIT_TIMEOUT_MS: variable(
    duration,
    'How long a request may wait for a free connection to PostgreSQL. After that, it gets status 503.',
    { fallback: String(limits.databaseWaitTimeoutMs) },
  ),
  DATABASE_MAX_WAITING: variable(
    integer(1, 1_000_000),
    'How many reads or writes of a process may wait for a free connection to PostgreSQL. Further ones get status 503 at once.',
    { fallback: String(limits.databaseMaxWaiting) },
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: variable(
    duration,
    'How long PostgreSQL may run one statement. It then cancels the statement; if it does not, Parley closes the connection two seconds later. Migrations, backups and the creation of vector indexes have no limit.',
    { fallback: String(limits.databaseStatementTimeoutMs) },
  ),
  DATABASE_LOCK_TIMEOUT_MS: variable(
    duration,
    'How long a statement may wait for a lock of PostgreSQL. After that, the request gets status 503.',
    { fallback: String(limits.databaseLockTimeoutMs) },
  ),
  DATABASE_IDLE_TIMEOUT_MS: variable(
    duration,
    'How long a transaction may be idle before PostgreSQL ends it, so that a process that lost its network releases its locks.',
    { fallback: String(limits.databaseIdleTimeoutMs) },
  ),
  DATABASE_REQUEST_TIMEOUT_MS: variable(
    duration,
    'How long one request may wait for PostgreSQL in total. Its next statement then gets status 503. Time in which a model answers is not counted.',
    { fallback: String(limits.databaseRequestTimeoutMs) },
  ),
  DATABASE_SILENCE_MS: variable(
    duration,
    'How long PostgreSQL may leave all statements of a process without an answer before the process opens a further connection to test it.',
    { fallback: String(limits.databaseSilenceMs) },
  ),
  DATABASE_PROBE_TIMEOUT_MS: variable(
    duration,
    'How long that test may take. If PostgreSQL does not answer it, all requests get status 503 until it does. Keep the sum of both below five seconds.',
    { fallback: String(limits.databaseProbeTimeoutMs) },
  ),
  DATABASE_KEEP_ALIVE_MS: variable(
    duration,
    'How long a connection to PostgreSQL may be idle before TCP checks that the other side still exists.',
    { fallback: String(limits.databaseKeepAliveMs) },
  ),
  READY_TIMEOUT_MS: variable(
    duration,
    'How long `/readyz` may take. After that, it answers that the database does not respond.',
    { fallback: '2000' },
  ),
} as const
