import { setImmediate } from 'node:timers/promises'
import {
  buildConnector as undiciConnector,
  Client as UndiciClient,
  Pool as UndiciPool,
} from 'undici'
import { afterEach, expect, it } from 'vitest'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { openExchange, readAll } from './exchange.ts'
import { buildConnector, createPools, Pool, type Pools } from './pools.ts'
import { Client } from './spaced-client.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function serve(): Promise<ModelServer> {
  const server = await startServer((response) => {
    setTimeout(() => response.end('ok'), 20)
  })
  cleanups.push(() => server.stop())
  return server
}

async function get(pools: Pools, origin: string): Promise<string> {
  const { packets } = await openExchange({
    dispatcher: pools.forOrigin(origin),
    method: 'GET',
    path: '/',
    headers: {},
    body: null,
    firstByteTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    signal: new AbortController().signal,
  })
  return (await readAll(packets, 100)).toString()
}

it('The pool, the client and the connector that are loaded by their files are those that undici exports', () => {
  expect(Pool).toBe(UndiciPool)
  expect(Client).toBe(UndiciClient)
  expect(buildConnector).toBe(undiciConnector)
})

it('Consecutive calls share a connection', async () => {
  const server = await serve()
  const pools = createPools({ connectTimeoutMs: 1000 })
  cleanups.push(() => pools.close())
  for (let i = 0; i < 5; i += 1) {
    await get(pools, server.origin)
    // undici waits one event loop turn, so that the server can close, before it reuses a connection.
    await setImmediate()
  }
  expect(server.connections()).toBe(1)
})

it('256 concurrent calls all run at once', async () => {
  let running = 0
  let most = 0
  const server = await startServer((response) => {
    running += 1
    most = Math.max(most, running)
    setTimeout(() => response.end('ok', () => (running -= 1)), 500)
  })
  const pools = createPools({ connectTimeoutMs: 5000 })
  cleanups.push(
    () => server.stop(),
    () => pools.close(),
  )
  await Promise.all(Array.from({ length: 256 }, () => get(pools, server.origin)))
  expect(most).toBe(256)
})

it('The least recently used origin is evicted, and its running calls complete', async () => {
  const [one, two, three] = await Promise.all([serve(), serve(), serve()])
  const pools = createPools({ connectTimeoutMs: 1000, maxOrigins: 2 })
  cleanups.push(() => pools.close())
  const running = get(pools, one.origin)
  const known = pools.forOrigin(two.origin)
  pools.forOrigin(three.origin)
  expect(await running).toBe('ok')
  expect(pools.forOrigin(two.origin)).toBe(known)
  expect(await get(pools, one.origin)).toBe('ok')
  expect(one.connections()).toBe(2)
})

it('Closing ends calls that are still running', async () => {
  const server = await startServer(() => {})
  cleanups.push(() => server.stop())
  const pools = createPools({ connectTimeoutMs: 1000 })
  const call = get(pools, server.origin)
  const refused = expect(call).rejects.toThrow()
  await server.request(0)
  await pools.close()
  await refused
})
