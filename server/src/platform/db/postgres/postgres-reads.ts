import type { QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { createLane, LongReads, type Lanes, type LongReadLimits } from '#platform/db/long-reads.ts'
import { cancelStatement } from './postgres-cancel.ts'
import { hasStalePlan } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { refuseInsideUnit, strayRead } from '#platform/db/unit.ts'

/**
 * Runs each statement on a connection of its own. If the signal is aborted, the server ends the
 * statement, and the connection is discarded.
 */
export function readFrom(pool: PostgresPool) {
  return async <R>(
    sql: string,
    parameters: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<QueryResult<R>> => {
    refuseInsideUnit(strayRead)
    for (;;) {
      const client = await pool.connect()
      const read = () => pool.read<R>(client, sql, parameters)
      try {
        const result = await (signal === undefined ? read() : untilAborted(signal, client, read))
        client.release()
        return result
      } catch (error) {
        // The pool itself drops lost connections.
        client.release(signal?.aborted === true || hasStalePlan(error))
        if (!hasStalePlan(error)) throw error
        // Each retry discards one of the few connections opened before the schema changed.
      }
    }
  }
}

async function untilAborted<T>(
  signal: AbortSignal,
  client: PoolClient,
  read: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  let stop = (): void => undefined
  const cancel = () => (stop = cancelStatement(client))
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answer = await read()
    signal.throwIfAborted()
    return answer
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    stop()
  }
}

interface Shares {
  /** Connections of the pool. */
  readonly size: number
  /** Those that no long read takes. */
  readonly kept: number
}

/** Long reads on the connections of a pool that is used for short reads, too. */
export function openLongReads(
  pool: PostgresPool,
  shares: Shares,
  limits: LongReadLimits,
): LongReads {
  return new LongReads(limits, openLanes(pool, shares, limits))
}

/** The lanes of SQLite, smaller if the pool has too few connections; a very small one has a single lane. */
function openLanes(pool: PostgresPool, { size, kept }: Shares, limits: LongReadLimits): Lanes {
  const { readers, searchReaders, readsWaiting } = limits
  const run = readFrom(pool)
  const free = Math.max(1, size - kept)
  if (free < 3) {
    const shared = createLane(free, readsWaiting, run)
    return { search: shared, lists: shared, background: shared }
  }
  const { search, lists, background } = fit(readers + 1, searchReaders + 1, free)
  return {
    search: createLane(search, readsWaiting, run),
    lists: createLane(lists, readsWaiting, run),
    background: createLane(background, readsWaiting, run),
  }
}

/** The largest lane gives connections first, and a search, which a turn waits for, after the others. */
function fit(lists: number, search: number, free: number) {
  const sizes = { lists, background: 2, search }
  while (sizes.lists + sizes.background + sizes.search > free) {
    const largest = Math.max(sizes.lists, sizes.background, sizes.search)
    if (sizes.lists === largest) sizes.lists -= 1
    else if (sizes.background === largest) sizes.background -= 1
    else sizes.search -= 1
  }
  return sizes
}
