import { createRequire } from 'node:module'
import type { LookupFunction } from 'node:net'
import type { buildConnector as UndiciConnector, Dispatcher, Pool as UndiciPool } from 'undici'
import { connectInSteps } from './connect-in-steps.ts'
import type { ReadSchedule } from './read-schedule.ts'
import { spacedBy } from './spaced-client.ts'

/**
 * undici's connection pool alone. The package's entry also loads fetch, WebSocket, caches and mocks:
 * measured beside a loaded `node:http`, it needs 16 MB and 60 ms, this file 8 MB and 18 ms. The
 * package declares no types for its files, so the casts give the types that the entry exports under
 * these names; `pools.test.ts` fails if an upgrade moves the files.
 */
const require = createRequire(import.meta.url)
export const Pool = require('undici/lib/dispatcher/pool.js') as typeof UndiciPool
export const buildConnector = require('undici/lib/core/connect.js') as typeof UndiciConnector

interface PoolsOptions {
  /** For one connection attempt, including the name lookup and TLS. */
  readonly connectTimeoutMs: number
  /** Resolves names for these connections; the system's resolver by default. */
  readonly lookup?: LookupFunction
  /** Origins kept connected; the least recently used one is dropped. */
  readonly maxOrigins?: number
  /** Connections to one origin; further calls wait for a free one. */
  readonly connectionsPerOrigin?: number
  /** When streams of these connections are read; each packet as it arrives by default. */
  readonly schedule?: ReadSchedule | undefined
}

export type Pools = ReturnType<typeof createPools>

/**
 * Keep-alive connection pools, one per origin, bounded in number. Unless the server announces another
 * idle time, a connection uses undici's four seconds: some model servers close it after five without
 * announcing that, and a longer time would reuse sockets that are closing.
 */
export function createPools(options: PoolsOptions) {
  const maxOrigins = options.maxOrigins ?? 32
  // A Map keeps the order of insertion; moving an origin to the end on use makes it an LRU cache.
  const pools = new Map<string, InstanceType<typeof Pool>>()

  /** The pool of connections to `origin` (scheme, host and port). */
  function forOrigin(origin: string): Dispatcher {
    const known = pools.get(origin)
    if (known !== undefined) {
      pools.delete(origin)
      pools.set(origin, known)
      return known
    }
    const pool = new Pool(origin, {
      connections: options.connectionsPerOrigin ?? 1024,
      // An abandoned stream must end at once: HTTP/1.1 closes its socket.
      allowH2: false,
      ...spacedBy(options.schedule),
      connect: connectInSteps(
        buildConnector({
          allowH2: false,
          timeout: options.connectTimeoutMs,
          ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
        }),
      ),
    })
    pools.set(origin, pool)
    if (pools.size > maxOrigins) retireOldest()
    return pool
  }

  function retireOldest(): void {
    const [origin, pool] = pools.entries().next().value ?? []
    if (origin === undefined || pool === undefined) return
    pools.delete(origin)
    // `close` lets running calls finish, and its promise never rejects.
    void pool.close()
  }

  /** Closes every connection, including those in use. */
  async function close(): Promise<void> {
    const all = [...pools.values()]
    pools.clear()
    await Promise.all(all.map((pool) => pool.destroy()))
  }

  return { forOrigin, close }
}
