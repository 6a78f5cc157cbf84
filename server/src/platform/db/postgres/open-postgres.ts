import type { Logger } from 'pino'
import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import { forCaller } from '#platform/db/caller.ts'
import type { Database, Value } from '#platform/db/database.ts'
import { kyselyOn, type Run } from '#platform/db/kysely-on.ts'
import { defaultLongReadLimits, type LongReadLimits } from '#platform/db/long-reads.ts'
import { PostgresBatches } from './postgres-batches.ts'
import { postgresDriver, withClient } from './postgres-driver.ts'
import { PostgresDisk } from './postgres-disk.ts'
import { defaultPostgresLimits, type PostgresLimits } from './postgres-limits.ts'
import { clientConfig, lastReadsMs, PostgresPool } from './postgres-pool.ts'
import { openLongReads, readFrom } from './postgres-reads.ts'
import {
  batchSettings,
  beginUnit,
  forSession,
  forTransaction,
  readSettings,
  unitSettings,
} from './postgres-settings.ts'
import { runStatement } from './postgres-statement.ts'
import { RecordUnits } from './record-units.ts'
import { openStandby } from './postgres-standby.ts'
import { PostgresUnits } from './postgres-units.ts'
import { PostgresWatch } from './postgres-watch.ts'
import { prepareStatements } from '#platform/db/prepared-statements.ts'
import { forTenant } from '#platform/db/tenant.ts'
import { nestedWrite, refuseInsideUnit, strayRead } from '#platform/db/unit.ts'

interface PostgresOptions {
  readonly url: string
  /** Total connections; each of the three pools gets at least one. */
  readonly poolSize: number
  /** The processes on this machine that share its requests. */
  readonly workers?: number
  readonly limits?: PostgresLimits
  readonly readLimits?: Partial<LongReadLimits>
  /** A standby for long reads. */
  readonly readUrl?: string | undefined
  readonly log: Logger
}

/**
 * Batches of reads, and of writes, that run at the same time: while one is flushed, the next is
 * filled. Workers have one each, because each of two processes has only half of the statements to
 * fill them with (decision 12).
 */
function batchesAtOnce(workers: number): number {
  return workers > 1 ? 1 : 2
}

/**
 * Opens PostgreSQL. Units, reads and the batches of every turn have separate pools: only the
 * sessions of units are SERIALIZABLE, and neither a unit nor a turn waits behind a long read.
 */
export function openPostgres(options: PostgresOptions): Database {
  const { limits = defaultPostgresLimits, workers = 1, readUrl } = options
  const readLimits = { ...defaultLongReadLimits, ...options.readLimits }
  const given = { ...options, limits, workers, readLimits }
  const parts = openParts(given)
  const { run, watch, units, recordUnits, reads, writes, longReads } = parts
  const read = kyselyOn('postgres', run)
  const scan = kyselyOn('postgres', (sql, values) => longReads.scan(sql, values))
  const disk = new PostgresDisk()
  const standby = readUrl === undefined ? null : openStandby({ ...given, readUrl }, parts)
  const { replica } = standby ?? {}
  const changing = async <T>(write: Promise<T>) =>
    await disk.watch(write).finally(() => replica?.noteChange())
  return {
    engine: 'postgres',
    read,
    scan,
    search: kyselyOn('postgres', (sql, values) => longReads.search(sql, values)),
    report:
      replica === undefined
        ? scan
        : kyselyOn('postgres', (sql, values) => replica.run(sql, values)),
    maintain: kyselyOn('postgres', runUnbounded(options.url)),
    write: (code, { record } = {}) =>
      changing(record === undefined ? units.write(code) : recordUnits.write(record, code)),
    writeAll: (steps) => changing(units.write((tx) => units.runAll(tx, steps))),
    forTenant,
    forCaller,
    answer: (code) => watch.request(code),
    answerInParts: (code) => code(),
    readsFlushed: () => null,
    prepared: prepareStatements(read, {
      sendsFew: 'by key',
      read: outsideUnits(strayRead, (sql, values) => reads.run(sql, values)),
      readShared: outsideUnits(strayRead, (sql, values) => reads.runShared(sql, values)),
      within: (tx, sql, values) => units.within(tx, sql, values),
      later: async (tx, sql, values) => units.later(tx, sql, values),
      write: (sql, values) => changing(units.writeOne(sql, values)),
      writeByKey: outsideUnits(nestedWrite, (sql, values) => disk.watch(writes.run(sql, values))),
    }),
    async ping() {
      await run('select 1', [])
      await disk.check((unit) => units.write(unit))
    },
    async close() {
      await standby?.close()
      await closeParts(parts)
    },
  }
}

/** Of the connections that no batch uses. Units are short; some of the others are kept for short reads. */
const unitShare = 0.4
/** Connections that no long read takes: for short reads, and for the test whether the service is ready. */
const keptForShortReads = 2

type PartOptions = Required<Omit<PostgresOptions, 'readUrl' | 'readLimits'>> & {
  readonly readLimits: LongReadLimits
}

type Parts = ReturnType<typeof openParts>

function openParts({ url, poolSize, limits, readLimits, workers, log }: PartOptions) {
  const maxRunning = batchesAtOnce(workers)
  const batching = Math.max(1, Math.min(2 * maxRunning, Math.floor(poolSize / 3)))
  const writing = Math.max(1, Math.round((poolSize - batching) * unitShare))
  const reading = Math.max(1, poolSize - batching - writing)
  const watch = new PostgresWatch({
    limits,
    log,
    newClient: () => new (postgresDriver().Client)(clientConfig(url, limits)),
    disconnect: () => pools.forEach((pool) => pool.disconnect()),
  })
  const pool = (name: string, size: number, session: string) =>
    new PostgresPool({
      name,
      url,
      size,
      limits,
      log,
      watch,
      session,
      // The largest pool first.
      askForOne: () => pools.some((other) => other.surrender()),
    })
  const writers = pool('units', writing, forSession(unitSettings(limits), 'serializable'))
  const readers = pool('reads', reading, forSession(readSettings(limits), 'read committed'))
  const batchers = pool('batches', batching, forSession(batchSettings(limits), 'read committed'))
  const pools = [readers, writers, batchers]
  const keepsSettings = limits.databasePooler === 'none'
  const begin = keepsSettings ? null : beginUnit(unitSettings(limits))
  const units = new PostgresUnits({
    pool: writers,
    slots: unitSlots(writing, limits.databaseWaitTimeoutMs, limits),
    turns: unitSlots(1, limits.databaseRequestTimeoutMs, limits),
    begin,
  })
  const recordUnits = new RecordUnits({
    runTogether: (together) => units.writeTogether(together),
    maxWaitMs: limits.databaseWaitTimeoutMs,
    maxWaiting: limits.databaseMaxWaiting,
  })
  const batches = (name: 'reads' | 'writes', alone: RunBatched) => {
    const settings = keepsSettings ? null : forTransaction(batchSettings(limits))
    return new PostgresBatches({ name, pool: batchers, maxRunning, settings, alone })
  }
  const run = readFrom(readers)
  const reads = batches('reads', async (sql, values) => (await run(sql, values)).rows)
  const writes = batches('writes', (sql, values) => units.writeOne(sql, values))
  const shares = { size: reading, kept: keptForShortReads }
  const longReads = openLongReads(readers, shares, readLimits)
  return { run, readers, writers, batchers, watch, units, recordUnits, reads, writes, longReads }
}

async function closeParts({ reads, writes, readers, writers, batchers, watch }: Parts) {
  await Promise.all([reads.close(), writes.close()])
  await Promise.all([readers.end(lastReadsMs), writers.end(), batchers.end()])
  watch.close()
}

type RunBatched = (sql: string, values: readonly Value[]) => Promise<readonly unknown[]>

function outsideUnits(refusal: string, run: RunBatched): RunBatched {
  return async (sql, values) => {
    refuseInsideUnit(refusal)
    return await run(sql, values)
  }
}

/** None is reserved: units are short, so one ends soon. */
function unitSlots(slots: number, maxWaitMs: number, limits: PostgresLimits): FairSlots {
  return createFairSlots({
    slots,
    reserved: 0,
    maxWaiting: limits.databaseMaxWaiting,
    maxWaitMs,
  })
}

/** Runs each statement on a new connection without limits of time. */
function runUnbounded(url: string): Run {
  return async <R>(sql: string, parameters: readonly unknown[]) =>
    await withClient({ connectionString: url }, (client) =>
      runStatement<R>(client, sql, parameters, false),
    )
}
