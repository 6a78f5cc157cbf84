import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrate, openDatabase } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, parley, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const log = pino({ level: 'silent' })
const turns = 1_000

cleansUp()

// Skipped where npm has no binaries for the platform; global-setup.ts reports that once, with a
// fix.
test.skipIf(postgresAbsence() !== null)(
  `${turns} turns of 64 callers all succeed while PostgreSQL grants fewer connections than the service wants`,
  async () => {
    const postgres = await startPostgres({
      settings: ['max_connections=12', 'log_min_messages=panic'],
    })
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-few-'))
    const settings = { dataDir, databaseUrl: postgres.url, databasePoolSize: 3 }
    const model = await startModelServer({ record: false })
    const others: Client[] = []
    try {
      await migrate(settings, log)
      const environment = { ...serviceEnvironment(settings, model), LOG_LEVEL: 'warn' }
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      // The service may open nine. Others take all but three.
      await untilTaken(postgres.url, others, 9)
      const traffic = new Traffic(service.origin, caller, 64)
      await until('all turns are answered', () => traffic.acknowledged.length >= turns)
      await traffic.stop()
      expect([...traffic.refusals], 'refusals').toEqual([])
      expect([traffic.broken, traffic.unfinished]).toEqual([0, 0])
      expect(service.log()).toContain('each process opens fewer')
      expect(service.log()).toContain('PostgreSQL refuses a further connection')
      await Promise.all(others.splice(0).map((client) => client.end()))
      const db = openDatabase(settings, log)
      try {
        await expectAllStored(db, traffic.acknowledged)
      } finally {
        await db.close()
      }
      const { tries, failed } = traffic
      const fault = 'PostgreSQL grants fewer connections than the service wants'
      recordFault({ fault, engine: 'postgres', tries, lost: 0, failed, healthyAfterMs: 0 })
    } finally {
      await Promise.all(others.map((client) => client.end()))
      await model.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    }
  },
)

test.skipIf(postgresAbsence() !== null)(
  'a start and `doctor` say in words that PostgreSQL grants too few connections',
  async () => {
    const postgres = await startPostgres({
      settings: ['max_connections=5', 'superuser_reserved_connections=0'],
    })
    try {
      const environment = serviceEnvironment({ dataDir: '', databaseUrl: postgres.url })
      const { code, stderr } = await parley(['start'], { ...environment, PORT: '0' })
      expect(code).toBe(1)
      expect(stderr.trim()).toMatch(
        /^parley: PostgreSQL grants this user 5 connections, and Parley needs 6: raise /,
      )
      const { stdout } = await parley(['doctor'], environment)
      expect(stdout).toMatch(/failed +database +PostgreSQL grants this user 5 .*\n +fix: raise /)
    } finally {
      await postgres.stop()
    }
  },
)

/** Opens this many connections, as soon as the server grants them. */
async function untilTaken(url: string, taken: Client[], count: number): Promise<void> {
  await until('the connections are taken', async () => {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    )
    if (isOpen) taken.push(client)
    return taken.length >= count
  })
}
