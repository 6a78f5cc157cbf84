import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { Pool } from './undici-pool.ts'

export interface PoolsOptions {
  /** How long one connection attempt may take, the name lookup and TLS included. */
  readonly connectTimeoutMs: number
  /** Resolves names for these connections; the system's resolver by default. */
  readonly lookup?: LookupFunction
  /** Origins kept connected; the one unused for longest makes room. */
  readonly maxOrigins?: number
  /** Connections to one origin; calls beyond that wait for a free one. */
  readonly connectionsPerOrigin?: number
}

export interface Pools {
  /** The pool of connections to `origin` (scheme, host and port). */
  forOrigin(origin: string): Dispatcher
  /** Closes every connection, also those in use. */
  close(): Promise<void>
}

/**
 * Keep-alive connection pools, one per origin, bounded in number. The idle time of a connection is
 * undici's own four seconds unless the server announces another: some model servers close after
 * five without saying so, and a longer time here would meet their closing sockets.
 */
export function createPools(options: PoolsOptions): Pools {
  const maxOrigins = options.maxOrigins ?? 32
  // A Map remembers the order of insertion; moving an origin to the end on use makes it an LRU.
  const pools = new Map<string, InstanceType<typeof Pool>>()

  function forOrigin(origin: string): Dispatcher {
    const known = pools.get(origin)
    if (known !== undefined) {
      pools.delete(origin)
      pools.set(origin, known)
      return known
    }
    const pool = new Pool(origin, {
      connections: options.connectionsPerOrigin ?? 1024,
      // An abandoned stream must end at once: with HTTP/1.1 its socket is closed.
      allowH2: false,
      connect: {
        timeout: options.connectTimeoutMs,
        ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
      },
    })
    pools.set(origin, pool)
    if (pools.size > maxOrigins) retireOldest()
    return pool
  }

  function retireOldest(): void {
    const [origin, pool] = pools.entries().next().value ?? []
    if (origin === undefined || pool === undefined) return
    pools.delete(origin)
    // `close` lets running calls end; undici's promise of it never rejects.
    void pool.close()
  }

  async function close(): Promise<void> {
    const all = [...pools.values()]
    pools.clear()
    await Promise.all(all.map((pool) => pool.destroy()))
  }

  return { forOrigin, close }
}
