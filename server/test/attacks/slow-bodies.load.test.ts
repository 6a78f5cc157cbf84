import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cleansUp, type ParleyProcess } from '#test/support/processes/parley-process.ts'
import { describeEngines, environmentOf } from '#test/support/databases/engines.ts'
import { startAttacked } from '#test/support/processes/attacked-service.ts'
import { tried } from '#test/support/tried.ts'

cleansUp()

/** Another loopback address than that of the other callers. */
const attacker = '127.0.0.2'

async function open({ origin }: ParleyProcess, head: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), localAddress: attacker })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(head)
  return socket
}

async function ended(socket: Socket): Promise<string> {
  let answer = ''
  socket.on('data', (piece) => (answer += String(piece)))
  if (!socket.closed) await once(socket, 'close')
  return answer
}

function requestOf(key: string): string {
  return (
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{'
  )
}

/** Opens as many connections and keeps each alive with a byte now and then. @returns the answers */
async function drip(parley: ParleyProcess, heads: readonly string[]): Promise<string[]> {
  const sockets = await Promise.all(heads.map(async (head) => await open(parley, head)))
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ')
  }, 500)
  const answers = await Promise.all(sockets.map(ended))
  clearInterval(timer)
  return answers.map((answer) => answer.slice(9, 12))
}

describeEngines('slow and many connections', (engine) => {
  const start = async (limits: Readonly<Record<string, string>>) =>
    await startAttacked({ ...limits, ...environmentOf(engine) })

  test(
    '1,500 slow bodies are cut while others are served',
    { timeout: 120_000 },
    async (context) => {
      const limits = { REQUEST_BODY_GRACE_MS: '4000', MAX_CONNECTIONS_PER_ADDRESS: '2000' }
      const service = await start(limits)
      const { agent, chatKey, parley } = service
      const message = { role: 'user', content: 'Hello?' }
      const chat = JSON.stringify({ model: agent.app_name_id, messages: [message] })
      // The body of a refused request is no longer wanted, but its connection stays open as well.
      const heads = Array.from({ length: 1500 }, (_, at) => requestOf(at % 3 === 0 ? 'x' : chatKey))
      const over = new AbortController()
      const dripping = drip(parley, heads).finally(() => over.abort())
      let served = 0
      for (; !over.signal.aborted; served += 1) expect((await service.chat(chat)).status).toBe(200)
      expect(served).toBeGreaterThan(10)
      expect(Object.groupBy(await dripping, (status) => status)).toMatchObject({
        401: { length: 500 },
        408: { length: 1000 },
      })
      tried(context, heads.length)
    },
  )

  test('slow headers are cut too', { timeout: 60_000 }, async (context) => {
    const limits = { REQUEST_HEADERS_TIMEOUT_MS: '1000', MAX_CONNECTIONS_PER_ADDRESS: '2000' }
    const { parley } = await start(limits)
    const heads = Array.from({ length: 500 }, () => 'POST / HTTP/1.1\r\nHost: x\r\nX: ')
    expect(new Set(await drip(parley, heads))).toEqual(new Set(['408']))
    tried(context, heads.length)
  })

  test('a slow body above the lowest speed is read to its end', { timeout: 60_000 }, async () => {
    // Longer than two pauses: what arrives in one packet with the head is not counted.
    const limits = { REQUEST_BODY_GRACE_MS: '1500', REQUEST_BODY_BYTES_PER_SECOND: '100' }
    const { agent, chatKey, parley } = await start(limits)
    const body = JSON.stringify({
      model: agent.app_name_id,
      messages: [{ role: 'user', content: 'slow '.repeat(200) }],
    })
    const head = requestOf(chatKey).replace('4000000', String(body.length)).slice(0, -1)
    const socket = await open(parley, head)
    const answer = once(socket, 'data')
    for (let at = 0; at < body.length; at += 200) {
      socket.write(body.slice(at, at + 200))
      await delay(700)
    }
    expect(String(await answer)).toMatch(/^HTTP\/1.1 200/)
    socket.destroy()
  })

  test('connections of one address are bounded, those of others are not', async () => {
    const service = await start({ MAX_CONNECTIONS_PER_ADDRESS: '20' })
    const { agent, chatKey, parley } = service
    const held = await Promise.all(
      Array.from({ length: 20 }, async () => await open(parley, requestOf(chatKey))),
    )
    expect(await drip(parley, [requestOf(chatKey)])).toEqual(['429'])
    expect((await service.operation('list_apps', '{}')).status).toBe(200)
    held.pop()?.destroy()
    const next = JSON.stringify({ model: agent.app_name_id, messages: [] })
    const head = requestOf(chatKey).replace('4000000', String(next.length)).slice(0, -1)
    await expect
      .poll(async () => await drip(parley, [`${head}${next}`.replace('POST', 'GET')]))
      .toEqual(['405'])
    for (const socket of held) socket.destroy()
  }, 60_000)

  test('a proxy in TRUST_PROXY may open more connections', { timeout: 60_000 }, async () => {
    const limits = { MAX_CONNECTIONS_PER_ADDRESS: '20', TRUST_PROXY: attacker }
    const { chatKey, parley } = await start({ ...limits, REQUEST_BODY_GRACE_MS: '1000' })
    const heads = Array.from({ length: 40 }, () => requestOf(chatKey))
    expect(new Set(await drip(parley, heads))).toEqual(new Set(['408']))
  })
})
