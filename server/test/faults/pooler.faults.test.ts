import { execFileSync } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '#platform/db/open-database.ts'
import { cancelStatement } from '#platform/db/postgres/postgres-cancel.ts'
import { inspectServer } from '#platform/db/postgres/postgres-server.ts'
import { startPostgres } from '#test/support/databases/embedded-postgres.ts'
import {
  createDatabase,
  dropDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, parley, startParley } from '#test/support/processes/parley-process.ts'
import {
  nobody,
  pgbouncerAbsence,
  startPgbouncer,
  type Pooler,
} from '#test/support/databases/pgbouncer.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const absence = inject('postgresUrl') === '' ? 'there is no PostgreSQL' : pgbouncerAbsence()
const because = absence === null ? '' : ` (skipped: ${absence})`
const turns = 300

cleansUp()

describe.skipIf(absence !== null)(`behind PgBouncer${because}`, () => {
  let settings: DatabaseSettings
  let pooler: Pooler

  beforeEach(async () => {
    settings = await createDatabase()
  })
  afterEach(async () => {
    await pooler.stop()
    await dropDatabase(settings)
  })

  async function behind(mode: 'session' | 'transaction') {
    pooler = await startPgbouncer(settings.databaseUrl ?? '', mode)
    return { ...settings, databaseUrl: pooler.url }
  }

  test('in transaction mode, a start and `doctor` say in words what to set', async () => {
    const environment = serviceEnvironment(await behind('transaction'))
    const { code, stderr } = await parley(['start'], { ...environment, PORT: '0' })
    expect(code).toBe(1)
    expect(stderr.trim()).toBe(
      'parley: DATABASE_URL leads to a connection pooler in transaction mode: set DATABASE_POOLER=transaction, or connect to PostgreSQL itself',
    )
    const { stdout } = await parley(['doctor'], environment)
    expect(stdout).toMatch(/failed +database .*transaction mode\n +fix: set DATABASE_POOLER/)
  })

  test('in session mode, nothing needs to be set', async () => {
    const { databaseUrl } = await behind('session')
    expect((await inspectServer(databaseUrl)).pooler).toBe('session')
    expect((await inspectServer(settings.databaseUrl ?? '')).pooler).toBe('none')
  })

  test('a statement is canceled through it, over TLS on both sides', async () => {
    const { certificate, key } = await makeCertificate()
    const server = await startPostgres({
      settings: ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`],
    })
    pooler = await startPgbouncer(server.url, 'transaction', [
      'server_tls_sslmode = require',
      'client_tls_sslmode = require',
      `client_tls_cert_file = ${certificate}`,
      `client_tls_key_file = ${key}`,
    ])
    const watching = new Client({ connectionString: server.url })
    const client = new Client({
      connectionString: pooler.url,
      ssl: { rejectUnauthorized: false },
    })
    try {
      await watching.connect()
      await client.connect()
      const sleeping = expect(client.query('select pg_sleep(600)')).rejects.toThrow(
        'canceling statement due to user request',
      )
      const running = async () => {
        const { rows } = await watching.query<{ ssl: boolean }>(`
          select ssl from pg_stat_activity join pg_stat_ssl using (pid)
          where query like 'select pg_sleep%' and state = 'active'`)
        return rows.map(({ ssl }) => ssl)
      }
      await until('the statement runs', async () => (await running()).length > 0)
      expect(await running()).toEqual([true])
      const ended = cancelStatement(client)
      await sleeping
      ended()
      expect(await running()).toEqual([])
    } finally {
      await client.end()
      await watching.end()
      await server.stop()
    }
  })

  test('in transaction mode, two services migrate, answer and stop, and leave nothing behind', async () => {
    const model = await startModelServer({ record: false })
    try {
      const environment = {
        ...serviceEnvironment(await behind('transaction'), model),
        DATABASE_POOLER: 'transaction',
      }
      const services = await Promise.all([startParley(environment), startParley(environment)])
      const caller = await makeCaller(environment)
      const all = services.map(({ origin }) => new Traffic(origin, caller, 16))
      await until('turns are answered', () =>
        all.every(({ acknowledged }) => acknowledged.length >= turns),
      )
      for (const traffic of all) {
        await traffic.stop()
        expect([...traffic.refusals]).toEqual([])
        expect([traffic.broken, traffic.unfinished]).toEqual([0, 0])
      }
      for (const service of services) service.signal('SIGTERM')
      for (const { finished } of services) expect((await finished).code).toBe(0)
      await expectCleanSessions(pooler.url)
      const db = openDatabase(settings, pino({ level: 'silent' }))
      const acknowledged = all.flatMap((traffic) => traffic.acknowledged)
      try {
        await expectAllStored(db, acknowledged)
      } finally {
        await db.close()
      }
      // A lock that stayed behind would stop the next start.
      const startedAt = performance.now()
      await startParley(environment)
      recordFault({
        fault: 'Two services behind PgBouncer in transaction mode, stopped and started',
        engine: 'postgres',
        tries: acknowledged.length,
        lost: 0,
        failed: 0,
        healthyAfterMs: performance.now() - startedAt,
      })
    } finally {
      await model.stop()
    }
  })
})

/** A key that the accounts of PostgreSQL and PgBouncer can read, and nobody else. */
async function makeCertificate() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  if (process.getuid?.() === 0)
    for (const path of [folder, certificate, key]) await chown(path, nobody, nobody)
  return { certificate, key }
}

/** What the next client of each of the pooler's sessions finds. */
async function expectCleanSessions(url: string): Promise<void> {
  const clients = Array.from({ length: 4 }, () => new Client({ connectionString: url }))
  try {
    for (const client of clients) {
      await client.connect()
      await client.query('begin')
      const { rows } = await client.query(`
        select current_setting('default_transaction_isolation') as isolation,
          current_setting('lock_timeout') as lock_timeout,
          (select count(*)::int from pg_prepared_statements) as names,
          (select count(*)::int from pg_locks where locktype = 'advisory') as locks`)
      const clean = { isolation: 'read committed', lock_timeout: '0', names: 0, locks: 0 }
      expect(rows).toEqual([clean])
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
