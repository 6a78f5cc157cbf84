import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { createDatabase, dropDatabase } from '#test/support/databases/engines.ts'
import { instanceSecrets, secretEnvironment } from '#test/security/planted-secrets.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { tried } from '#test/support/tried.ts'

cleansUp()

const password = 'planted-password-of-the-owner'
const owner = { OWNER_EMAIL: 'owner@example.com', OWNER_PASSWORD: password }

/** Commands whose output people paste when they ask for help. */
const commands: readonly (readonly string[])[] = [
  ['doctor'],
  ['migrate', '--status'],
  ['audit', 'verify'],
  ['call', 'whoami'],
  ['call', 'list_providers'],
  ['call', 'test_provider', '{"provider":"openai","model":"m"}'],
  ['call', 'no_such_operation'],
  ['user', 'no-such-command'],
  ['--help'],
]

test(
  'the configuration’s secrets are in no title, health answer, command output or log of a process',
  { timeout: 180_000 },
  async (context) => {
    const DATA_DIR = await emptyFolder()
    const environment = { ...secretEnvironment, ...owner, DATA_DIR, LOG_LEVEL: 'trace' }
    const service = await startParley(environment)
    const shown: string[] = [service.banner]
    for (const path of ['/healthz', '/readyz', '/login', '/.well-known/acp.json', '/nothing'])
      shown.push(await (await fetch(`${service.origin}${path}`)).text())
    if (process.platform === 'linux')
      for (const name of ['cmdline', 'comm', 'status'])
        shown.push(await readFile(`/proc/${service.pid}/${name}`, 'utf8'))
    for (const command of commands) {
      const { stdout, stderr } = await parley(command, environment)
      shown.push(stdout + stderr)
    }
    service.signal('SIGTERM')
    const { stdout, stderr } = await service.finished
    shown.push(stdout, stderr)
    const secrets = Object.entries({
      ...instanceSecrets,
      password,
      smtp: secretEnvironment.SMTP_URL,
    })
    for (const text of shown)
      expect(secrets.filter(([, value]) => text.includes(value)).map(([kind]) => kind)).toEqual([])
    expect(stderr + stdout).toContain('"level"')
    tried(context, shown.length * secrets.length)
  },
)

test('a configuration that is refused is reported without the secrets in it', async (context) => {
  const DATA_DIR = await emptyFolder()
  const broken = {
    SMTP_URL: `smtp//user:${instanceSecrets.smtpPassword}@host`,
    SECRET_KEY: 'planted-key-of-the-wrong-length',
    DATABASE_URL: 'postgres//user:planted-database-password@host/db',
    OIDC_ISSUER: 'planted-issuer-secret',
    PORT: 'http',
  }
  for (const command of [['start'], ['doctor'], ['call', 'whoami']]) {
    const { code, stdout, stderr } = await parley(command, { ...broken, DATA_DIR })
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('PORT')
    expect(stdout + stderr).not.toContain('planted-')
  }
  tried(context, 3 * 4)
})

describe.skipIf(inject('postgresUrl') === '')('the password of PostgreSQL', () => {
  const databasePassword = 'planted-database-password'
  const role = `parley_planted_${process.pid}`

  async function asAdmin(...statements: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: inject('postgresUrl') })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  test(
    'is in no output of a process, while the database works and after it refuses the service',
    { timeout: 180_000 },
    async (context) => {
      const settings = await createDatabase()
      const url = new URL(settings.databaseUrl ?? '')
      const name = url.pathname.slice(1)
      await asAdmin(
        `create role ${role} superuser login password '${databasePassword}'`,
        `alter database ${name} owner to ${role}`,
      )
      Object.assign(url, { username: role, password: databasePassword })
      const DATA_DIR = await emptyFolder()
      const secret = { ...secretEnvironment, DATABASE_URL: url.href }
      const environment = { ...secret, ...owner, DATA_DIR, LOG_LEVEL: 'trace' }
      const shown: string[] = []
      try {
        const service = await startParley(environment)
        shown.push(service.banner)
        const use = async () => {
          for (const path of ['/readyz', '/login', '/.well-known/acp.json']) {
            const response = await fetch(`${service.origin}${path}`)
            shown.push(`${response.status} ${await response.text()}`)
          }
          for (const command of commands.slice(0, 4)) {
            const { stdout, stderr } = await parley(command, environment)
            shown.push(stdout + stderr)
          }
        }
        await use()
        await asAdmin(
          `alter role ${role} nologin`,
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
        )
        await use()
        service.signal('SIGTERM')
        const { stdout, stderr } = await service.finished
        shown.push(stdout + stderr)
      } finally {
        await dropDatabase(settings)
        await asAdmin(`drop role ${role}`)
      }
      expect(shown.filter((text) => text.startsWith('200 '))).not.toEqual([])
      expect(shown.filter((text) => text.startsWith('503 '))).not.toEqual([])
      for (const text of shown) expect(text).not.toContain(databasePassword)
      tried(context, shown.length)
    },
  )
})
