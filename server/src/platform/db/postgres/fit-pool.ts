import type { Logger } from 'pino'
import type { DatabaseConfig } from '#platform/db/open-database.ts'
import { inspectServer, type PostgresServer } from './postgres-server.ts'

/** One for units, one for reads, one for batches. */
const leastConnections = 3
/** For migrations, `parley doctor` and other commands beside the service. */
const spareConnections = 3

/** PostgreSQL cannot be used as it is configured; the message explains why and what to do. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
}

/** What is wrong with the way to the server, and the number of connections that a process may open. */
export interface Fit {
  readonly problem: string | null
  readonly poolSize: number
}

type Wanted = Pick<DatabaseConfig, 'databasePoolSize' | 'databasePooler' | 'workers'>

/** Fits the configuration to the server. Behind a pooler, the pooler's own limits apply instead. */
export function fitTo({ pooler, grantedConnections }: PostgresServer, wanted: Wanted): Fit {
  const { databasePoolSize, databasePooler = 'none', workers = 1 } = wanted
  if (pooler === 'transaction' && databasePooler !== 'transaction')
    return { problem: unexpectedPooler, poolSize: databasePoolSize }
  if (pooler !== 'none') return { problem: null, poolSize: databasePoolSize }
  const share = Math.floor((grantedConnections - spareConnections) / workers)
  if (share >= leastConnections)
    return { problem: null, poolSize: Math.min(databasePoolSize, share) }
  const needed = leastConnections * workers + spareConnections
  return { problem: tooFew(grantedConnections, needed), poolSize: leastConnections }
}

const unexpectedPooler =
  'DATABASE_URL leads to a connection pooler in transaction mode: set DATABASE_POOLER=transaction, or connect to PostgreSQL itself'

function tooFew(granted: number, needed: number): string {
  return `PostgreSQL grants this user ${granted} connections, and Parley needs ${needed}: raise max_connections or the limit of the user or database, or lower WORKERS`
}

/**
 * The configuration with as many connections as the server grants.
 *
 * @throws ServerError; Fault database_unavailable
 */
export async function fitPool<C extends DatabaseConfig>(config: C, log: Logger): Promise<C> {
  const { databaseUrl: url, databasePoolSize: wanted } = config
  if (url === undefined) return config
  const { problem, poolSize } = fitTo(await inspectServer(url), config)
  if (problem !== null) throw new ServerError(problem)
  if (poolSize < wanted)
    log.warn(
      { connections: poolSize, wanted },
      'PostgreSQL grants fewer connections than DATABASE_POOL_SIZE: each process opens fewer',
    )
  return { ...config, databasePoolSize: poolSize }
}
