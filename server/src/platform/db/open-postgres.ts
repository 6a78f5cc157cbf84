import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import type { FairSlots } from '#platform/fair-slots/fair-slots.ts'
import { forCaller } from './caller.ts'
import type { Database, Value } from './database.ts'
import { kyselyOn, type Run } from './kysely-on.ts'
import { batchSession, PostgresBatches } from './postgres-batches.ts'
import { hasStalePlan } from './postgres-errors.ts'
import { connect, connectTimeoutMs, openPool } from './postgres-pool.ts'
import { runStatement } from './postgres-statement.ts'
import { PostgresUnits, writingSession } from './postgres-units.ts'
import { prepareStatements } from './prepared-statements.ts'
import { forTenant } from './tenant.ts'
import { nestedWrite, refuseInsideUnit, strayRead } from './unit.ts'

interface PostgresOptions {
  readonly url: string
  /** Total connections; each of the three pools gets at least one. */
  readonly poolSize: number
  /** The processes on this machine that share its requests. */
  readonly workers?: number
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
export function openPostgres({ url, poolSize, workers = 1, log }: PostgresOptions): Database {
  const maxRunning = batchesAtOnce(workers)
  const batching = Math.max(1, Math.min(2 * maxRunning, Math.floor(poolSize / 3)))
  const writing = Math.max(1, Math.ceil((poolSize - batching) / 2))
  const reading = Math.max(1, poolSize - batching - writing)
  const writers = openPool({ name: 'units', url, size: writing, log, session: writingSession })
  const readers = openPool({ name: 'reads', url, size: reading, log })
  const batchers = openPool({ name: 'batches', url, size: batching, log, session: batchSession })
  const units = new PostgresUnits(writers, log, unitSlots(writing))
  const run = readFrom(readers)
  const read = kyselyOn('postgres', run)
  const reads = new PostgresBatches({
    name: 'reads',
    pool: batchers,
    maxRunning,
    alone: async (sql, values) => (await run(sql, values)).rows,
  })
  const writes = new PostgresBatches({
    name: 'writes',
    pool: batchers,
    maxRunning,
    alone: (sql, values) => units.writeOne(sql, values),
  })
  return {
    engine: 'postgres',
    read,
    scan: read,
    search: read,
    write: (code) => units.write(code),
    forTenant,
    forCaller,
    answer: (code) => code(),
    answerInParts: (code) => code(),
    readsFlushed: () => null,
    prepared: prepareStatements(read, {
      read: outsideUnits(strayRead, (sql, values) => reads.run(sql, values)),
      readShared: outsideUnits(strayRead, (sql, values) => reads.runShared(sql, values)),
      within: (tx, sql, values) => units.within(tx, sql, values),
      write: (sql, values) => units.writeOne(sql, values),
      writeByKey: outsideUnits(nestedWrite, (sql, values) => writes.run(sql, values)),
    }),
    async ping() {
      await run('select 1', [])
    },
    async close() {
      await Promise.all([reads.close(), writes.close()])
      await Promise.all([readers.end(), writers.end(), batchers.end()])
    },
  }
}

type RunBatched = (sql: string, values: readonly Value[]) => Promise<readonly unknown[]>

function outsideUnits(refusal: string, run: RunBatched): RunBatched {
  return async (sql, values) => {
    refuseInsideUnit(refusal)
    return await run(sql, values)
  }
}

/** None is reserved: units are short, so one ends soon. */
function unitSlots(connections: number): FairSlots {
  return createFairSlots({
    slots: connections,
    reserved: 0,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: connectTimeoutMs,
  })
}

/** Runs each statement on a connection of its own from the readers' pool. */
function readFrom(pool: Pool): Run {
  return async <R>(sql: string, parameters: readonly unknown[]) => {
    refuseInsideUnit(strayRead)
    for (;;) {
      const client = await connect(pool)
      try {
        const result = await runStatement<R>(client, sql, parameters)
        client.release()
        return result
      } catch (error) {
        // The pool itself drops lost connections.
        client.release(hasStalePlan(error))
        if (!hasStalePlan(error)) throw error
        // Each retry discards one of the few connections opened before the schema changed.
      }
    }
  }
}
