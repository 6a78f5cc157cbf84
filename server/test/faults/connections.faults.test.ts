import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, type Caller } from './chat-traffic.ts'
import { answeredAfter, openStreamWhenAccepted } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

/** A turn of a service that is not busy, on a machine that is very busy. */
const soonMs = 25_000

cleansUp()

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

/** Sends a streamed turn over a connection of its own. */
async function ask(port: number, { model, key }: Caller): Promise<Socket> {
  const socket = await open(port)
  const messages = [{ role: 'user', content: 'Go on' }]
  const body = JSON.stringify({ model, stream: true, messages })
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return socket
}

/** Takes one byte of what has arrived in each second. @returns how many it has taken */
function readSlowly(socket: Socket): { readonly bytes: () => number; stop(): void } {
  let bytes = 0
  socket.pause()
  const timer = setInterval(() => {
    const byte: Buffer | null = socket.read(1)
    bytes += byte?.length ?? 0
  }, 1_000)
  return { bytes: () => bytes, stop: () => clearInterval(timer) }
}

describeEngines('connections', (engine) => {
  test('1,000 open streams are all answered to their end', async () => {
    const count = 1_000
    const words = Array.from({ length: 40 }, (_, n) => `word${n} `)
    const script = () => ({ reply: words, firstByteMs: 300, chunkMs: 200 })
    const model = await startModelServer({ record: false, script })
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      MAX_CONNECTIONS_PER_ADDRESS: '2000',
      MODEL_CALLS_AT_ONCE: '1000',
    }
    const caller = await makeCaller(environment)
    const service = await startParley(environment)
    const opened = await Promise.all(
      Array.from({ length: count }, () => openStreamWhenAccepted(service.origin, caller)),
    )
    const streams = opened.map(({ stream }) => stream)
    const refused = opened.reduce((sum, one) => sum + one.refused, 0)
    const open = performance.now()
    const healthyAfterMs = await answeredAfter(service.origin, caller, open)
    const ended = await Promise.all(streams.map((stream) => stream.ended))
    expect(ended.filter((isWhole) => !isWhole)).toEqual([])
    const whole = words.join('')
    expect(streams.filter((stream) => stream.text() !== whole)).toEqual([])
    const { stored } = await engine
      .database()
      .read.selectFrom('chat_messages')
      .select(({ fn }) => fn.countAll<number>().as('stored'))
      .where('content', '=', whole)
      .executeTakeFirstOrThrow()
    // The turn in between has the same answer.
    const lost = count + 1 - Number(stored)
    expect(lost).toBe(0)
    const left = await engine.database().read.selectFrom('partial_answers').selectAll().execute()
    expect(left).toEqual([])
    recordFault({
      fault: '1,000 open streams',
      engine: engine.name,
      tries: count + refused,
      lost,
      failed: refused,
      healthyAfterMs,
    })
    await model.stop()
  })

  test('clients that read a byte a second delay no others, and lose nothing', async () => {
    // Each fills the buffers first, which keeps a busy machine busy.
    const count = 6
    // More than the buffers of both sides hold, so that the service must wait for the client.
    const reply = Array.from({ length: 400 }, () => 'word '.repeat(6_000))
    const long = (body: object) => JSON.stringify(body).includes('Go on')
    const script = ({ body }: { body: object }) => ({ reply: long(body) ? reply : 'Here.' })
    const model = await startModelServer({ record: false, script })
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      SHUTDOWN_GRACE_SECONDS: '1',
    }
    const caller = await makeCaller(environment)
    const service = await startParley(environment)
    const port = Number(new URL(service.origin).port)
    const sockets = await Promise.all(Array.from({ length: count }, () => ask(port, caller)))
    const slow = sockets.map(readSlowly)
    const beganAt = performance.now()
    let slowest = 0
    let turns = 0
    while (performance.now() - beganAt < 8_000) {
      slowest = Math.max(slowest, await answeredAfter(service.origin, caller, performance.now()))
      turns += 1
    }
    expect(slowest).toBeLessThan(soonMs)
    await until('each has read something', () => slow.every(({ bytes }) => bytes() > 0))
    const pieces = async () =>
      await engine
        .database()
        .read.selectFrom('partial_answers')
        .select('session_id')
        .distinct()
        .execute()
    await until(
      'what they were sent is stored meanwhile',
      async () => (await pieces()).length === count,
    )
    for (const { stop } of slow) stop()
    const endedAt = performance.now()
    for (const socket of sockets) socket.destroy()
    const healthyAfterMs = await answeredAfter(service.origin, caller, endedAt)
    const answers = async () =>
      await engine
        .database()
        .read.selectFrom('chat_messages')
        .select(['content', 'error_code'])
        .where('role', '=', 'assistant')
        .where('error_code', 'is not', null)
        .execute()
    await until('their answers are stored', async () => (await answers()).length === count)
    const lost = (await answers()).filter(({ content }) => !content.startsWith('word ')).length
    expect(lost).toBe(0)
    recordFault({
      fault: 'Clients that read a byte a second',
      engine: engine.name,
      tries: count + turns,
      lost,
      failed: 0,
      healthyAfterMs,
    })
    await model.stop()
  })

  test('5,000 idle ones leave the service as fast as before, and are closed', async () => {
    const count = 5_000
    const model = await startModelServer({ record: false })
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      MAX_CONNECTIONS_PER_ADDRESS: '10000',
      REQUEST_HEADERS_TIMEOUT_MS: '5000',
    }
    const caller = await makeCaller(environment)
    const service = await startParley(environment)
    const port = Number(new URL(service.origin).port)
    const sockets: Socket[] = []
    while (sockets.length < count)
      sockets.push(...(await Promise.all(Array.from({ length: 250 }, () => open(port)))))
    const opened = performance.now()
    const healthyAfterMs = await answeredAfter(service.origin, caller, opened)
    expect(healthyAfterMs).toBeLessThan(soonMs)
    for (const socket of sockets) socket.resume()
    await until('the service has closed them', () => sockets.every(({ closed }) => closed))
    recordFault({
      fault: '5,000 idle connections',
      engine: engine.name,
      tries: 1,
      lost: 0,
      failed: 0,
      healthyAfterMs,
    })
    await model.stop()
  })
})
