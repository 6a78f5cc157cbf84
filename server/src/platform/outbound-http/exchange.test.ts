import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type Handler, type ModelServer } from '#test/support/servers/model-server.ts'
import { BodyTooLarge, openExchange, readAll, type Exchange } from './exchange.ts'
import { createPools } from './pools.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function connect(handler: Handler) {
  const server = await startServer(handler)
  const pools = createPools({ connectTimeoutMs: 1000 })
  cleanups.push(
    () => server.stop(),
    () => pools.close(),
  )
  const open = (signal = new AbortController().signal): Promise<Exchange> =>
    openExchange({
      dispatcher: pools.forOrigin(server.origin),
      method: 'GET',
      path: '/',
      headers: {},
      body: null,
      firstByteTimeoutMs: 5000,
      idleTimeoutMs: 5000,
      signal,
    })
  return { server, open }
}

async function untilClosed(server: ModelServer, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (server.openSockets() > 0 && performance.now() < deadline) await sleep(1)
  expect(server.openSockets()).toBe(0)
}

it('A slow reader pauses the sender and receives every byte', async () => {
  const total = 32 * 1024 * 1024
  let written = 0
  const { open } = await connect(async (response) => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    while (written < total) {
      written += piece.length
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
    }
    response.end()
  })
  const { packets } = await open()
  await packets.next()
  await sleep(200)
  // The kernel decides how much two sockets buffer; without a pause the whole body would arrive.
  expect(written).toBeLessThan(total)
  const whileStopped = written
  await sleep(100)
  expect(written).toBe(whileStopped)
  let read = 0
  for await (const packet of packets) read += packet.length
  expect(read).toBeGreaterThan(total - 128 * 1024)
})

describe('Aborting', () => {
  it('closes the socket within 200 ms while the server has not answered', async () => {
    const { server, open } = await connect(() => {})
    const controller = new AbortController()
    const exchange = open(controller.signal)
    await server.request(0)
    controller.abort(new Error('gone'))
    await expect(exchange).rejects.toThrow('gone')
    await untilClosed(server, 200)
  })

  it('closes the socket within 200 ms in the middle of a body and drops unread data', async () => {
    const { server, open } = await connect((response) => {
      response.write('begin')
    })
    const controller = new AbortController()
    const { packets } = await open(controller.signal)
    await sleep(20)
    controller.abort(new Error('gone'))
    await expect(packets.next()).rejects.toThrow('gone')
    await untilClosed(server, 200)
  })

  it('before the call opens no connection', async () => {
    const { server, open } = await connect(() => {})
    await expect(open(AbortSignal.abort(new Error('never')))).rejects.toThrow('never')
    expect(server.connections()).toBe(0)
  })

  it('while connecting sends no request', async () => {
    const { server, open } = await connect((response) => {
      response.end()
    })
    const controller = new AbortController()
    const exchange = open(controller.signal)
    controller.abort(new Error('early'))
    await expect(exchange).rejects.toThrow('early')
    await sleep(50)
    expect(server.requests).toHaveLength(0)
  })
})

it('Leaving a body early closes its connection', async () => {
  const { server, open } = await connect((response) => {
    response.write('begin')
  })
  for await (const packet of (await open()).packets) {
    expect(packet.toString()).toBe('begin')
    break
  }
  await untilClosed(server, 200)
})

it('Draining a body keeps its connection if the body ends, and closes it otherwise', async () => {
  const { server, open } = await connect((response, _request, n) => {
    response.write('begin')
    if (n === 0) setTimeout(() => response.end('rest'), 20)
  })
  const first = await open()
  first.packets.drain()
  await sleep(60)
  const second = await open()
  expect(server.connections()).toBe(1)
  second.packets.drain()
  await untilClosed(server, 2500)
})

it('Packets that arrived before a failure are returned before the error', async () => {
  const { open } = await connect((response) => {
    response.write('said', () => response.socket?.destroy())
  })
  const { packets } = await open()
  await sleep(30)
  expect((await packets.next()).value?.toString()).toBe('said')
  await expect(packets.next()).rejects.toThrow()
})

it('A body over its reader’s limit is refused, and its connection is closed', async () => {
  const { server, open } = await connect((response) => {
    response.write('x'.repeat(1000))
  })
  await expect(readAll((await open()).packets, 999)).rejects.toBeInstanceOf(BodyTooLarge)
  await untilClosed(server, 200)
})

it('Informational responses precede the final response and are skipped', async () => {
  const { open } = await connect((response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('answer')
  })
  const { status, packets } = await open()
  expect(status).toBe(200)
  expect((await readAll(packets, 100)).toString()).toBe('answer')
})
