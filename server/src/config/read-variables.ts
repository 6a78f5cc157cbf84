import { integer, variable } from './variable.ts'

/** Long reads, and SQLite's disk and backups. */
export const readVariables = {
  READ_TIMEOUT_MS: variable(
    integer(100, 600_000),
    'How long a list, figure or search may read the database. After that, it is ended, and the caller gets status 503.',
    { fallback: '10000' },
  ),
  BACKGROUND_READ_TIMEOUT_MS: variable(
    integer(1000, 86_400_000),
    'The same limit for background work and commands. With PostgreSQL, `DATABASE_STATEMENT_TIMEOUT_MS` is usually shorter.',
    { fallback: '600000' },
  ),
  READERS: variable(
    integer(1, 64),
    'How many lists and figures of one workspace a process reads at the same time. One more place is for other workspaces. With SQLite, each is a process of its own, which uses 30 MB of memory, starts when it is needed and ends after 20 s without work (searches: 120 s). With PostgreSQL, each is one of the connections of `DATABASE_POOL_SIZE` that are for reads; two of them are always kept for short reads.',
    { fallback: '2' },
  ),
  SEARCH_READERS: variable(
    integer(1, 64),
    'The same for searches of more than 2,000 chunks of knowledge.',
    { fallback: '2' },
  ),
  READS_WAITING: variable(
    integer(0, 1_000_000),
    'How many of these reads of one workspace may wait. Further ones get status 429.',
    { fallback: '200' },
  ),
  BACKUP_BYTES_PER_SECOND: variable(
    integer(1_000_000),
    'How fast a backup copies SQLite beside a running service.',
    { fallback: '67108864' },
  ),
  BACKUP_MAX_LOG_BYTES: variable(
    integer(1_000_000),
    'Length of SQLite’s write-ahead log, which grows during a backup, above which the copy runs at full speed.',
    { fallback: '268435456' },
  ),
  MIN_FREE_DISK_BYTES: variable(
    integer(0),
    'With SQLite, free space on the disk of `DATA_DIR` below which `/readyz` answers 503 with the reason `disk`.',
    { fallback: '33554432' },
  ),
} as const
