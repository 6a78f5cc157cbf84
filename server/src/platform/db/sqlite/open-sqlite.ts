import { DatabaseSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import type { Logger } from 'pino'
import { commonFaults, isFault } from '#kernel/fault.ts'
import type { Database, Tx, Value, WriteOptions } from '#platform/db/database.ts'
import { forCaller } from '#platform/db/caller.ts'
import { Checkpoints } from './checkpoints.ts'
import { GroupCommit } from '#platform/db/group-commit.ts'
import { kyselyOn, kyselyOnProcesses, type Run } from '#platform/db/kysely-on.ts'
import { LogFlush } from './log-flush.ts'
import type { LongReadLimits } from '#platform/db/long-reads.ts'
import { prepareStatements } from '#platform/db/prepared-statements.ts'
import { ReadGuard } from '#platform/db/read-guard.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteReads } from './sqlite-reads.ts'
import { renewStatistics } from '#platform/db/renew-statistics.ts'
import { loadVectorFunctions } from './sqlite-vectors.ts'
import { forTenant } from '#platform/db/tenant.ts'
import { unchangedReads, type SharedState } from './unchanged-reads.ts'
import { refuseInsideUnit, strayRead } from '#platform/db/unit.ts'
import type { Work } from '#platform/db/waiting-unit.ts'

const pragmas = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma fullfsync = on',
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -16000',
  // Truncates the write-ahead log after a burst of writes.
  'pragma journal_size_limit = 67108864',
]

interface SqliteOptions {
  readonly file: string
  readonly log: Logger
  /** Called when a flush has failed; ends the process by default. */
  readonly lost?: (cause: unknown) => void
  /** The length of the write-ahead log at which a checkpoint begins. */
  readonly maxLogPages?: number
  readonly limits?: Partial<LongReadLimits>
}

/**
 * The embedded database: one writer with group commit, one reader, threads for flushes and
 * checkpoints (decision 32), and processes for long reads (decision 43).
 */
export function openSqlite(options: SqliteOptions): Database {
  const parts = openParts(options)
  const { reader, commits, guard, longReads } = parts
  const run = guardedRun(guard, (sql, parameters) => {
    refuseInsideUnit(strayRead)
    return retryWhileBusy(() => reader.run(sql, parameters))
  })
  const read = kyselyOn('sqlite', run)
  const { write, writeAll, writeOne, ping } = writesOf(parts)
  return {
    engine: 'sqlite',
    read,
    forTenant,
    forCaller,
    ...guardedLongReads(guard, longReads),
    write,
    writeAll,
    answer: (code) => guard.answer(code),
    answerInParts: (code) => guard.answerInParts(code),
    readsFlushed: () => guard.readsFlushed(),
    prepared: prepareStatements(read, {
      sendsFew: 'always',
      read: async (sql, values) => (await run(sql, values)).rows,
      readShared: unchangedReads(run, sharedState(parts)),
      within: (_, sql, values) => commits.units.runWithin(sql, values),
      later: async (_, sql, values) => void (await commits.units.runWithin(sql, values)),
      write: writeOne,
      writeByKey: writeOne,
    }),
    ping,
    close: () => closeParts(parts),
  }
}

/** The ways to write, and `ping`, which knows whether the last write failed. */
function writesOf({ reader, commits, checkpoints, guard }: Parts) {
  let isDiskLost = false
  const commit = async (work: Work, given?: WriteOptions): Promise<unknown> => {
    const isFlushed = guard.beginUnit()
    let result: unknown
    try {
      result = await commits.write(work, given)
    } catch (error) {
      if (isFault(error, commonFaults.database_unavailable)) isDiskLost = true
      throw error
    }
    isDiskLost = false
    checkpoints.look()
    if (given?.flush === 'later') guard.noteRead()
    else isFlushed()
    return result
  }
  // A unit's result is what its code returns.
  const write: Database['write'] = <T>(code: (tx: Tx) => Promise<T>, given?: WriteOptions) =>
    commit(code, given) as Promise<T>
  // The result of statements is the rows of the last one.
  const writeOne = (sql: string, values: readonly Value[]) =>
    commit([{ sql, values }]) as Promise<readonly unknown[]>
  return {
    write,
    writeOne,
    writeAll: async (...[steps, given]: Parameters<Database['writeAll']>) =>
      void (await commit(steps, given)),
    async ping() {
      reader.run('select 1', [])
      if (isDiskLost) await write(writeAgain)
    },
  }
}

/** What the kept rows of shared reads depend on. */
function sharedState({ guard, commits }: Parts): SharedState {
  return {
    get isAlone() {
      return guard.isAlone
    },
    refuse: () => refuseInsideUnit(strayRead),
    version() {
      const foreign = guard.dataVersion()
      return foreign === null ? null : `${foreign} ${commits.units.kept.value}`
    },
    afterRead: () => guard.afterRead(),
  }
}

/** After a write has failed, whether the disk accepts one again. SQLite does not write unchanged rows. */
async function writeAgain(tx: Tx): Promise<void> {
  const name = 'disk_probe'
  await tx.insertInto('sequences').values({ name, next_value: 0 }).execute()
  await tx.deleteFrom('sequences').where('name', '=', name).execute()
}

type Parts = ReturnType<typeof openParts>

function openParts({ file, log, lost = endProcess, maxLogPages, limits }: SqliteOptions) {
  const writer = new SqliteConnection(openServing(file))
  // A commit is only written to the log; `LogFlush` flushes it before its units are acknowledged.
  writer.raw.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0')
  const reader = new SqliteConnection(openServing(file, { allowExtension: true }))
  reader.raw.exec('pragma query_only = on')
  loadVectorFunctions(reader.raw)
  const flush = new LogFlush(file, lost)
  const guard = new ReadGuard(flush, writer)
  const commits = new GroupCommit({ connection: writer, flush, guard, log })
  const checkpoints = new Checkpoints({ file, writer, commits, flush, log, maxPages: maxLogPages })
  const longReads = new SqliteReads({ file, limits })
  return { writer, reader, flush, guard, commits, checkpoints, longReads }
}

async function closeParts({ writer, reader, flush, commits, checkpoints, longReads }: Parts) {
  await checkpoints.close()
  await commits.close()
  longReads.close()
  await flush.close()
  reader.raw.close()
  renewStatistics(writer.raw, 'pragma optimize')
  writer.raw.close()
}

type Source = <R>(
  sql: string,
  parameters: readonly unknown[],
) => QueryResult<R> | Promise<QueryResult<R>>

function guardedLongReads(guard: ReadGuard, reads: Parts['longReads']) {
  const over = (source: Source) => kyselyOnProcesses(guardedRun(guard, source))
  const scan = over((sql, parameters) => reads.scan(sql, parameters))
  const search = over((sql, parameters) => reads.search(sql, parameters))
  return { scan, report: scan, search, maintain: scan }
}

/** Rows may contain a commit that is not on the disk yet. */
function guardedRun(guard: ReadGuard, source: Source): Run {
  return async <R>(sql: string, parameters: readonly unknown[]) => {
    const given = source<R>(sql, parameters)
    const result = given instanceof Promise ? await given : given
    const wait = guard.afterRead()
    if (wait !== null) await wait
    return result
  }
}

/** An uncaught error is logged and ends the process, as after any other crash. */
function endProcess(cause: unknown): void {
  setImmediate(() => {
    throw new Error('a flush to disk failed; commits may be lost', { cause })
  })
}

/**
 * A connection of the running service. It waits for a lock asynchronously (`retryWhileBusy`), because
 * SQLite's busy timeout would block the event loop. The cache can be small, because turns read the
 * end of each table and the operating system caches the rest (decision 0011).
 */
function openServing(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = openConnection(file, options)
  raw.exec('pragma busy_timeout = 0')
  raw.exec('pragma cache_size = -3000')
  return raw
}

interface ConnectionOptions {
  /** Needed by `loadVectorFunctions`, which then forbids extensions again. */
  readonly allowExtension?: boolean
}

/** A connection with our pragmas; it waits up to five seconds for another writer. */
export function openConnection(file: string, options: ConnectionOptions = {}): DatabaseSync {
  const raw = new DatabaseSync(file, { timeout: 5_000, ...options })
  for (const pragma of pragmas) raw.exec(pragma)
  return raw
}
