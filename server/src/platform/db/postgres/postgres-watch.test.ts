import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import pino from 'pino'
import { expect, test } from 'vitest'
import { until } from '#test/support/until.ts'
import { defaultPostgresLimits } from './postgres-limits.ts'
import { PostgresWatch } from './postgres-watch.ts'

/** PostgreSQL's ErrorResponse. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

test.each([
  ['53300', 'sorry, too many clients already', null],
  ['08P01', 'no more connections allowed (max_client_conn)', null],
  ['28000', 'no such user', 'database_unavailable'],
])(
  'a server or pooler that refuses a test with %s, “%s”, has the outcome %s',
  async (code, message, outcome) => {
    let tests = 0
    const server = createServer((socket: Socket) => {
      tests += 1
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(refusal(code, message)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // for TCP, neither null nor a path
    const watch = new PostgresWatch({
      limits: { ...defaultPostgresLimits, databaseSilenceMs: 200 },
      log: pino({ level: 'silent' }),
      newClient: () => new Client({ host: '127.0.0.1', port, user: 'parley', database: 'parley' }),
      disconnect: () => undefined,
    })
    // A wait that is open, as a long statement is.
    const { promise, resolve } = Promise.withResolvers<string>()
    const open = watch
      .wait(
        60_000,
        () => promise,
        () => undefined,
      )
      .catch((error: unknown) => error)
    await until('it was tested twice', () => tests >= 2)
    await setImmediate()
    resolve('answered')
    expect(await open).toEqual(
      outcome === null ? 'answered' : expect.objectContaining({ code: outcome }),
    )
    watch.close()
    server.close()
  },
)
