import { once } from 'node:events'
import { Agent, createServer, get, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { HttpEnvironment } from './environment.ts'
import { dataFrame, eventStream, heartbeatMs } from './event-stream.ts'

const ctx = {
  log: pino({ level: 'silent' }),
  config: { stalledReaderTimeoutMs: 300 },
  db: { answerInParts: (code: () => Promise<void>) => code(), readsFlushed: () => null },
}
const stops: (() => void)[] = []

afterEach(() => {
  vi.useRealTimers()
  for (const stop of stops.splice(0)) stop()
})

/** One event at once, and another when the test allows it. */
function silentBetween() {
  const goOn = Promise.withResolvers<void>()
  const app = new Hono<HttpEnvironment>()
  app.get('/', (c) =>
    eventStream(c, ctx, async (sink) => {
      await sink.write(dataFrame('"first"'))
      await goOn.promise
      await sink.write(dataFrame('"last"'))
    }),
  )
  return { app, goOn: goOn.resolve }
}

async function overHttp(app: Hono<HttpEnvironment>): Promise<Response> {
  return await fetch(`http://127.0.0.1:${await listen(app)}/`)
}

async function listen(app: Hono<HttpEnvironment>): Promise<number> {
  const answer = getRequestListener(app.fetch)
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server listening on TCP has an address with a port.
  return (server.address() as AddressInfo).port
}

/** What a client receives until the server closes the connection. */
async function received(port: number, request: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.write(request)
  return Buffer.concat(await socket.toArray()).toString()
}

const frames = ['one', 'zwölf', '🙂'].map((text) => dataFrame(JSON.stringify(text)))

/** Two events in one step and one in a later step. */
function threeEvents() {
  const app = new Hono<HttpEnvironment>()
  app.get('/', (c) =>
    eventStream(c, ctx, async (sink) => {
      void sink.write(frames[0]!)
      await sink.write('')
      await sink.write(frames[1]!)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await sink.write(frames[2]!)
    }),
  )
  return app
}

test('the responses to pipelined requests follow each other whole', async () => {
  const port = await listen(threeEvents())
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n'
  const text = await received(port, `${request}\r\n${request}Connection: close\r\n\r\n`)
  const bodies = text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1)
  expect(bodies).toHaveLength(2)
  for (const body of bodies) {
    const [head = '', chunks = ''] = body.split(/\r\n\r\n(.*)/s)
    expect(head.toLowerCase()).toContain('transfer-encoding: chunked')
    expect(chunks.replaceAll(/(?<=^|\r\n)[0-9a-f]+\r\n(.*?)\r\n/gs, '$1')).toBe(frames.join(''))
  }
})

test('a client of HTTP/1.0 gets the frames without chunks, until the end of the connection', async () => {
  const text = await received(await listen(threeEvents()), 'GET / HTTP/1.0\r\nHost: a\r\n\r\n')
  expect(text.split('\r\n\r\n')[1]).toBe(frames.join(''))
})

test('a frame that comes after the end of a stream is not sent, even while the client still reads', async () => {
  const app = new Hono<HttpEnvironment>()
  app.get('/', (c) =>
    eventStream(c, ctx, async (sink) => {
      void sink.write(dataFrame(JSON.stringify('x'.repeat(16_000_000))))
      setImmediate(() => void sink.write(dataFrame('"late"')))
    }),
  )
  const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const text = await received(await listen(app), request)
  expect(text.length).toBeGreaterThan(16_000_000)
  expect(text.slice(-100)).not.toContain('late')
  expect(text.slice(-5)).toBe('0\r\n\r\n')
})

test('a connection serves the next request after a stream', async () => {
  const port = await listen(threeEvents())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async () => {
    const [response] = await once(get({ host: '127.0.0.1', port, agent }), 'response')
    const from: number = response.socket.localPort
    return { text: await response.setEncoding('utf8').toArray(), from }
  }
  const [first, second] = [await ask(), await ask()]
  for (const { text } of [first, second]) expect(text.join('')).toBe(frames.join(''))
  expect(second.from).toBe(first.from)
  agent.destroy()
})

test.each([
  ['on a real connection', overHttp],
  ['without one', async (app: Hono<HttpEnvironment>) => await app.request('/')],
])(
  'a silent stream sends a comment at each heartbeat, and none after its end, %s',
  async (_, ask) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { app, goOn } = silentBetween()
    const response = await ask(app)
    vi.advanceTimersByTime(2 * heartbeatMs)
    goOn()
    expect(await response.text()).toBe(
      'data: "first"\n\n: keep-alive\n\n: keep-alive\n\ndata: "last"\n\n',
    )
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('a client that reads nothing gets no heartbeats', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { promise: stalled, resolve: stall } = Promise.withResolvers<ServerResponse>()
  const app = new Hono<HttpEnvironment>()
  app.get('/', (c) =>
    eventStream(c, ctx, async (sink) => {
      const frame = dataFrame(JSON.stringify('x'.repeat(32 * 1024 * 1024)))
      const written = sink.write(frame)
      if (c.env.outgoing !== undefined) stall(c.env.outgoing)
      await written
    }),
  )
  const response = await overHttp(app)
  const outgoing = await stalled
  const socket = outgoing.socket!
  const before = [socket.writableLength, socket.listenerCount('drain')]
  expect(socket.writableNeedDrain).toBe(true)
  vi.advanceTimersByTime(20 * heartbeatMs)
  expect([socket.writableLength, socket.listenerCount('drain')]).toEqual(before)
  await response.body?.cancel()
})
