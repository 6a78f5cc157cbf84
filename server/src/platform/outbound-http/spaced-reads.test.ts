import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type Handler } from '#test/support/servers/model-server.ts'
import { openExchange, type Exchange } from './exchange.ts'
import { createPools } from './pools.ts'
import { ReadSchedule } from './read-schedule.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

/** With more streams; 160 let a read wait for 80 ms and more. */
async function connect(handler: Handler, longestMs = 100, streams = 160) {
  const server = await startServer(handler)
  const schedule = new ReadSchedule(longestMs)
  for (let n = 0; n < streams; n += 1) schedule.join()
  const restMs = schedule.intervalMs
  const pools = createPools({ connectTimeoutMs: 5000, schedule })
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
  /** Whether streams beyond those are open. */
  const hasStreams = () => schedule.intervalMs !== restMs
  return { server, open, hasStreams }
}

/** Reads that are due within 5 ms begin together. */
const leastMs = 75

interface Packet {
  readonly text: string
  readonly at: number
}

/** Reads a body to its end, spaced from its first packet on. */
async function read({ packets }: Exchange, heard: () => void = () => {}): Promise<Packet[]> {
  const all: Packet[] = []
  for await (const packet of packets) {
    all.push({ text: packet.toString(), at: performance.now() })
    packets.space()
    heard()
  }
  return all
}

const words = Array.from({ length: 40 }, (_, n) => `word ${n} `)

const slowWords: Handler = async (response) => {
  for (const word of words) {
    response.write(word)
    await sleep(10)
  }
  response.end()
}

describe('Reads of one of many streams', () => {
  it('join what arrives meanwhile, in order, and all of it', async () => {
    const { open, hasStreams } = await connect(slowWords)
    const packets = await read(await open())
    expect(packets.map(({ text }) => text).join('')).toBe(words.join(''))
    const lastedMs = (packets.at(-1)?.at ?? 0) - (packets[0]?.at ?? 0)
    // Neither the first read waits, nor do those after a wait that found nothing, nor the last one.
    expect(packets.length).toBeLessThan(lastedMs / leastMs + 6)
    expect(hasStreams()).toBe(false)
  })

  it('take each packet as it arrives when the longest wait is 0', async () => {
    let wasRead = Promise.withResolvers<void>()
    const { open } = await connect(async (response) => {
      for (const word of words) {
        wasRead = Promise.withResolvers()
        response.write(word)
        await wasRead.promise
      }
      response.end()
    }, 0)
    const beganAt = performance.now()
    const packets = await read(await open(), () => wasRead.resolve())
    expect(packets.map(({ text }) => text)).toEqual(words)
    // If each waited, it would take three seconds.
    expect(performance.now() - beganAt).toBeLessThan(2000)
  })

  it('do not slow down a sender of much', async () => {
    const piece = 'x'.repeat(64 * 1024)
    const { open } = await connect(async (response) => {
      response.write('begin')
      await sleep(50)
      for (let n = 0; n < 100; n += 1)
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
      response.end()
    })
    const startedAt = performance.now()
    const packets = await read(await open())
    expect(packets.reduce((sum, { text }) => sum + text.length, 0)).toBe(100 * piece.length + 5)
    // 6.5 MB in pieces of 64 kB that each wait would take eight seconds.
    expect(performance.now() - startedAt).toBeLessThan(4000)
  })

  it('stop for a reader that stops, and the sender with them', async () => {
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
    packets.space()
    let whileStopped = 0
    await expect
      .poll(() => [whileStopped, (whileStopped = written)], { interval: 200 })
      .toSatisfy(([before, now]) => before === now && now > 0)
    expect(whileStopped).toBeLessThan(total)
    let bytes = 0
    for await (const packet of packets) bytes += packet.length
    expect(bytes).toBeGreaterThan(total - 128 * 1024)
  })
})

describe('A stream whose read waits', () => {
  it('is closed at once when its caller leaves', async () => {
    const { server, open, hasStreams } = await connect(slowWords)
    const controller = new AbortController()
    const reading = read(await open(controller.signal))
    const refused = expect(reading).rejects.toThrow('gone')
    await expect.poll(hasStreams).toBe(true)
    controller.abort(new Error('gone'))
    await refused
    expect(hasStreams()).toBe(false)
    const { aborted } = await server.request(0)
    await aborted
  })

  it('gives what was sent before its connection broke, and then fails', async () => {
    const { open, hasStreams } = await connect(async (response) => {
      for (const word of words.slice(0, 5)) {
        response.write(word)
        await sleep(10)
      }
      response.destroy()
    })
    const { packets } = await open()
    let text = ''
    const reading = (async () => {
      for await (const packet of packets) {
        text += packet.toString()
        packets.space()
      }
    })()
    await expect(reading).rejects.toThrow()
    expect(text).toBe(words.slice(0, 5).join(''))
    expect(hasStreams()).toBe(false)
  })

  it('leaves a connection that the next call uses', async () => {
    const { server, open } = await connect(slowWords)
    await read(await open())
    await sleep(10)
    await read(await open())
    expect(server.connections()).toBe(1)
  })

  it('is read at once when it shall not wait any more', async () => {
    const wasRead = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const inSteps: Handler = async (response) => {
      response.write('one')
      await wasRead[0]?.promise
      response.write('two')
      await wasRead[1]?.promise
      response.write('three')
    }
    // So that a read waits for a second.
    const { open } = await connect(inSteps, 1000, 2000)
    const { packets } = await open()
    for (const { resolve } of wasRead) {
      await packets.next()
      packets.space()
      resolve()
    }
    const beganAt = performance.now()
    setTimeout(() => packets.readAtOnce(), 25)
    await packets.next()
    expect(performance.now() - beganAt).toBeLessThan(500)
    packets.discard()
  })
})
