import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { postgresAbsence, startPostgres } from './embedded-postgres.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

// Where npm has no binaries for the platform; global-setup.ts says so once, with the mend.
const testHere = test.skipIf(postgresAbsence() !== null)

/** Each makes a server from nothing: a second's work on an idle machine, ten on a busy one. */
const timeoutMs = 120_000

testHere(
  'a PostgreSQL of a test sorts by code point, and stops when told',
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
  'a PostgreSQL of a test whose port another program took has another one',
  async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port: taken } = other.address() as AddressInfo // a TCP socket
    const ports = [taken, await freePort()]
    // Durable ones do not tell standard error why they did not start.
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
  'a PostgreSQL of a test ends with its process, even one that was killed',
  async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))})
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1_000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [url] = await once(createInterface({ input: owner.stdout }), 'line')
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
