import { describe, expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'

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
    const changed = { ...person, keys_to_rotate: [] }
    const reset = ['reset-password', '--email', email, '--password', '-']
    const done = await user(reset, 'remembered words\n')
    expect([done.code, done.stderr, JSON.parse(done.stdout)]).toEqual([0, '', changed])
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
      expect.stringMatching(/^parley: usage is `parley user create\|reset-password\|disable.*`\n$/),
    ])
  }, 60_000)

  test('create without a password prints a set-up link; disable, enable and end-sessions print the user', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    const user = async (verb: string, ...more: readonly string[]) =>
      await parley(['user', verb, '--email', email, ...more], environment)
    const made = await user('create', '--name', 'Ada')
    const { set_up_link, set_up_link_expires_at, ...person } = JSON.parse(made.stdout)
    expect(set_up_link).toMatch(/^http:\/\/localhost:3000\/setup\?token=[\w-]{43}$/)
    expect(Date.parse(set_up_link_expires_at)).toBeGreaterThan(Date.now())
    expect(person).toMatchObject({ email, name: 'Ada' })
    const disabled = await user('disable')
    expect(JSON.parse(disabled.stdout)).toEqual({ ...person, disabled: true, keys_to_rotate: [] })
    expect(JSON.parse((await user('enable')).stdout)).toEqual({ ...person, disabled: false })
    expect(JSON.parse((await user('end-sessions')).stdout)).toEqual(person)
    const again = await user('reset-password')
    expect(JSON.parse(again.stdout).set_up_link).not.toBe(set_up_link)
    const moved = await user('change-email', '--to', 'ada@new.example')
    expect(JSON.parse(moved.stdout)).toEqual({ ...person, email: 'ada@new.example' })
    const wrong = await user('disable', '--password', 'words')
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  }, 60_000)

  test('reset-password reports that no password signs in while SIGN_IN=openid, and sets it', async () => {
    const environment = {
      DATA_DIR: await emptyFolder(),
      DEMO: 'false',
      SIGN_IN: 'openid',
      OWNER_EMAIL: email,
      OIDC_ISSUER: 'http://127.0.0.1:1',
      OIDC_CLIENT_ID: 'parley',
    }
    const reset = [
      'user',
      'reset-password',
      '--email',
      email,
      '--password',
      'remembered words of ada',
    ]
    const { code, stdout, stderr } = await parley(reset, environment)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { email }])
    expect(stderr).toContain('no password or set-up link signs in while SIGN_IN=openid')
    expect(stderr).toContain('SIGN_IN=any')
  }, 60_000)
})
