import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { postgresAbsence, startPostgres } from './embedded-postgres.ts'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/until.ts'

// Skipped where npm has no binaries for the platform; global-setup.ts reports that once, with a
// fix.
const testHere = test.skipIf(postgresAbsence() !== null)

/** Each test creates a server: this takes a second on an idle machine and ten on a busy one. */
const timeoutMs = 120_000

testHere(
  'a test’s PostgreSQL sorts by code point and stops on request',
  async () => {
    const server = await startPostgres()
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query(
      "select min(a) as least from (values ('b'), ('B')) as t (a)",
    )
    expect(rows).toEqual([{ least: 'B' }])
    await client.end()
    await server.stop()
    expect(await isListening(server.url)).toBe(false)
  },
  timeoutMs,
)

testHere(
  'a test’s PostgreSQL chooses another port if its port is taken',
  async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port: taken } = other.address() as AddressInfo // a TCP socket
    const ports = [taken, await freePort()]
    // Durable servers do not write to standard error why they failed to start.
    const server = await startPostgres({
      durable: true,
      choosePort: () => Promise.resolve(ports.shift() ?? 0),
    })
    expect(new URL(server.url).port).not.toBe(String(taken))
    expect(await isListening(server.url)).toBe(true)
    await server.stop()
    other.close()
  },
  timeoutMs,
)

testHere(
  'a test’s PostgreSQL ends with its process, even if that was killed',
  async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))})
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1_000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(owner, 'exit').then(([code]) => {
      throw new Error(`it ended with ${code} before its server was ready`)
    })
    const [url] = await Promise.race([
      once(createInterface({ input: owner.stdout }), 'line'),
      ended,
    ])
    ended.catch(() => {}) // It is killed next.
    expect(await isListening(url)).toBe(true)
    owner.kill('SIGKILL')
    await until('it has ended', async () => !(await isListening(url)))
  },
  timeoutMs,
)

async function isListening(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then((answer) => {
    socket.destroy()
    return answer === true
  })
}
