import { describe, expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'

cleansUp()

function errorOf(stderr: string): Record<string, unknown> {
  return JSON.parse(stderr).error
}

describe('a call', () => {
  test('on an empty folder creates the database and prints only its result', async () => {
    const { code, stdout, stderr } = await parley(['call', 'list_apps'], {
      DATA_DIR: await emptyFolder(),
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).items).toMatchObject([{ app_name_id: 'parley-guide-10001' }])
  })

  test('that creates the demo agent cites addresses of the service', async () => {
    const input = '{"app_id":"parley-guide-10001","limit":100}'
    const environment = { DATA_DIR: await emptyFolder(), PORT: '4000' }
    const { stdout } = await parley(['call', 'list_knowledge_sources', input], environment)
    const urls = JSON.parse(stdout).items.map(({ url }: { url: string }) => url)
    expect(urls).toContain('http://localhost:4000/docs/sessions.md')
    for (const url of urls) expect(url).toMatch(/^http:\/\/localhost:4000\/docs\/[\w-]+\.md$/)
  })

  test('that creates a database in the default folder says so, once', async () => {
    const cwd = await emptyFolder()
    const first = await parley(['call', 'list_workspaces'], {}, '', cwd)
    expect(first.stderr).toMatch(
      /^parley: there is no database in \S+data, so one is created; .*\n$/,
    )
    expect(JSON.parse(first.stdout).items).toHaveLength(1)
    expect((await parley(['call', 'list_workspaces'], {}, '', cwd)).stderr).toBe('')
  })

  test('reads its input from an argument, or with - from standard input', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    await parley(['call', 'create_app', '{"name":"First"}'], environment)
    const piped = await parley(['call', 'create_app', '-'], environment, '{"name":"Second"}')
    expect(JSON.parse(piped.stdout)).toMatchObject({ name: 'Second' })
    const listed = await parley(['call', 'list_apps'], environment)
    const names = JSON.parse(listed.stdout).items.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['Second', 'First'])
  })

  test('next to a running service applies from its next request on', async () => {
    const environment = { DATA_DIR: await emptyFolder() }
    const service = await startParley(environment)
    const ask = async (key: string) =>
      (
        await fetch(`${service.baseUrl}/api/v1/models`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status
    const input = '{"app_id":"parley-guide-10001","name":"Test"}'
    const created = await parley(['call', 'create_chat_key', input], environment)
    const { id, key } = JSON.parse(created.stdout)
    expect(await ask(key)).toBe(200)
    await parley(['call', 'revoke_chat_key', JSON.stringify({ id })], environment)
    expect(await ask(key)).toBe(401)
  })

  test('acts as the user of --as, in that user’s workspace', async () => {
    const environment = { DATA_DIR: await emptyFolder() }
    const options = ['--email', 'Ada@Example.com', '--password', '-', '--name', 'Ada']
    const made = await parley(['user', 'create', ...options], environment, 'correct horse\n')
    expect(JSON.parse(made.stdout)).toMatchObject({ email: 'ada@example.com', name: 'Ada' })
    const listed = await parley(['call', 'list_apps', '--as', 'ada@example.com'], environment)
    expect(JSON.parse(listed.stdout).items).toEqual([])
  })
})

describe('a failed call is JSON on standard error, and the exit code is 1', () => {
  test('for every kind of mistake', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    const failures = [
      { args: ['creat_app'], error: { code: 'operation_not_found', did_you_mean: ['create_app'] } },
      { args: ['create_app', '{"name"'], error: { code: 'invalid_input' } },
      { args: ['create_app', '[]'], error: { code: 'invalid_input' } },
      { args: ['create_app', '{"name":""}'], error: { code: 'invalid_input' } },
      { args: ['get_app', '{"app_id":"nobody-1"}'], error: { code: 'record_not_found' } },
      { args: ['list_apps', '--as', 'nobody@example.com'], error: { code: 'user_not_found' } },
    ]
    for (const { args, error } of failures) {
      const { code, stdout, stderr } = await parley(['call', ...args], environment)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(errorOf(stderr)).toMatchObject({ ...error, message: expect.stringMatching(/\w+/) })
    }
  })

  test('also if the configuration is wrong or the database does not respond', async () => {
    const bad = await parley(['call', 'list_apps'], { PORT: 'http' })
    expect(errorOf(bad.stderr)).toMatchObject({ code: 'configuration_invalid' })
    const unreachable = await parley(['call', 'list_apps'], {
      DATABASE_URL: 'postgres://parley:hush-hush@127.0.0.1:1/parley',
      SECRET_KEY: '0'.repeat(64),
    })
    expect(unreachable.code).toBe(1)
    expect(errorOf(unreachable.stderr)).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(/PostgreSQL at 127\.0\.0\.1:1/),
    })
    expect(unreachable.stderr).not.toContain('hush-hush')
  })
})

test('creating a user fails in one line if the e-mail address is taken or the password too short', async () => {
  const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
  const create = (email: string, password: string) =>
    parley(['user', 'create', '--email', email, '--password', password], environment)
  expect(await create('ada@example.com', 'short')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^parley: A password must be .*\n$/),
  })
  await create('ada@example.com', 'correct horse')
  expect(await create('ADA@example.com', 'correct horse')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^parley: Another account has .*\n$/),
  })
})
