import { describe, expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley, startParley } from '#test/support/parley-process.ts'

cleansUp()

const email = 'ada@example.com'

describe('parley user', () => {
  test('reset-password sets a new password, next to a running service and from standard input', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    const service = await startParley(environment)
    const user = (args: readonly string[], stdin = '') =>
      parley(['user', ...args], environment, stdin)
    const made = await user(['create', '--email', email, '--password', 'forgotten words'])
    const { workspace_id: _, ...person } = JSON.parse(made.stdout)
    const reset = ['reset-password', '--email', email, '--password', '-']
    const done = await user(reset, 'remembered words\n')
    expect([done.code, done.stderr, JSON.parse(done.stdout)]).toEqual([0, '', person])
    expect(`${made.stdout}${done.stdout}`).not.toContain('words')
    const log = await parley(
      ['audit', 'export', '--all', '--format', 'jsonl', '--action', 'reset_password'],
      environment,
    )
    expect(JSON.parse(log.stdout.split('\n')[0] ?? '')).toMatchObject({
      action: 'reset_password',
      face: 'cli',
      target: person.id,
      outcome: 'done',
    })
    service.signal('SIGTERM')
    expect((await service.finished).code).toBe(0)
  }, 60_000)

  test('create refuses a password that is easy to guess, and says what to do', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    const create = ['user', 'create', '--email', email, '--password']
    const common = await parley([...create, 'password123'], environment)
    expect([common.code, common.stdout, common.stderr]).toEqual([
      1,
      '',
      'parley: This password is easy to guess. Choose another: several unrelated words, or one that a password manager creates.\n',
    ])
    const short = await parley([...create, '12345678'], environment)
    expect(short.stderr).toMatch(/^parley: A password must be between 10 and 512 characters long/)
  }, 60_000)

  test('reset-password reports an unknown account and invalid options', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    const reset = ['user', 'reset-password', '--email', email, '--password', 'remembered words']
    const nobody = await parley(reset, environment)
    expect([nobody.code, nobody.stdout]).toEqual([1, ''])
    expect(nobody.stderr).toMatch(/^parley: There is no account ada@example\.com\. .*\n$/)
    const named = await parley([...reset, '--name', 'Ada'], environment)
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringMatching(/^parley: usage is `parley user create\|reset-password .*`\n$/),
    ])
  }, 60_000)
})
