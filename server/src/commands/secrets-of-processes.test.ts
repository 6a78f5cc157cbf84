import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { instanceSecrets, secretEnvironment } from '#test/security/planted-secrets.ts'
import { cleansUp, emptyFolder, parley, startParley } from '#test/support/parley-process.ts'
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
