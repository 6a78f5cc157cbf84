import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { HttpEnvironment } from './environment.ts'
import { dataFrame, eventStream, heartbeatMs } from './event-stream.ts'

const ctx = { log: pino({ level: 'silent' }), config: { stalledReaderTimeoutMs: 300 } }
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
  const answer = getRequestListener(app.fetch)
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server listening on TCP has an address with a port.
  return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

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
  const before = [outgoing.writableLength, outgoing.listenerCount('drain')]
  expect(outgoing.writableNeedDrain).toBe(true)
  vi.advanceTimersByTime(20 * heartbeatMs)
  expect([outgoing.writableLength, outgoing.listenerCount('drain')]).toEqual(before)
  await response.body?.cancel()
})
