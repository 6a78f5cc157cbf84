import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { dropDatabase, makeDatabase } from '#test/support/databases/engines.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
  type ParleyProcess,
} from '#test/support/processes/parley-process.ts'

cleansUp()

/** The part of the banner that a user pastes. */
function curlOf({ banner }: ParleyProcess): string {
  return banner.slice(banner.search(/^curl /m)).trim()
}

interface ShownAnswer {
  readonly choices: [{ readonly message: { content: string; citations: unknown[] } }]
  readonly usage: Readonly<Record<string, number>>
}

/** The answer that the README shows below that curl. */
async function answerInReadme(): Promise<ShownAnswer> {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [, answer = ''] = /```json\n([^]*?)```/.exec(readme) ?? []
  return JSON.parse(answer)
}

describe('the first start', () => {
  test('prints a curl that, pasted into a shell, gets the answer that the README shows', async () => {
    const service = await startParley({ DATA_DIR: await emptyFolder() })
    const curl = curlOf(service)
    expect(curl).toMatch(/^curl [^|]+$/)
    for (const line of curl.split('\n').slice(0, -1)) expect(line).toMatch(/ \\$/)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -w '\\n%{http_code}'`])
    const [body = '', status] = stdout.trim().split(/\n(?=\d+$)/)
    expect(status).toBe('200')
    const { choices, usage } = JSON.parse(body)
    const { message } = choices[0]
    const {
      choices: [{ message: shown }],
      usage: shownUsage,
    } = await answerInReadme()
    expect(message.content).toBe(shown.content)
    expect(message.citations).toHaveLength(shown.citations.length)
    expect(message.citations[0]).toMatchObject({ title: 'Sessions' })
    expect(usage.completion_tokens).toBe(shownUsage.completion_tokens)
    // The prompt depends on the wording of the quoted pages, so its size may differ from the
    // README.
    expect(Math.abs(usage.prompt_tokens / Number(shownUsage.prompt_tokens) - 1)).toBeLessThan(0.5)
    const cited = await fetch(message.citations[0].url)
    expect(await cited.text()).toMatch(/^# Sessions/)
  })

  // Tried again, because other work on the machine can make one start longer.
  test(
    'prints the key and the set-up link once, and the next start takes under two seconds',
    { retry: 4 },
    async () => {
      const DATA_DIR = await emptyFolder()
      const first = await startParley({ DATA_DIR })
      expect(first.banner).toMatch(/\/setup\?token=\S+/)
      first.signal('SIGTERM')
      await first.finished
      const second = await startParley({ DATA_DIR })
      expect(second.banner).not.toMatch(/curl|svc_ck_|token=/)
      expect(second.seconds).toBeLessThan(2)
    },
  )

  test('creates the owner that the environment names, and no demo agent with DEMO=false', async () => {
    const DATA_DIR = await emptyFolder()
    const owner = { OWNER_EMAIL: 'ada@example.com', OWNER_PASSWORD: 'correct horse' }
    const service = await startParley({ DATA_DIR, DEMO: 'false', ...owner })
    expect(service.banner).not.toMatch(/curl|token=/)
    const { stdout } = await parley(['call', 'list_apps', '--as', 'ada@example.com'], { DATA_DIR })
    expect(JSON.parse(stdout)).toEqual({ items: [], next_cursor: null })
  })

  test('reports in one line that the default model’s provider is not configured, and the demo agent answers', async () => {
    const DATA_DIR = await emptyFolder()
    const service = await startParley({ DATA_DIR, DEFAULT_MODEL: 'openai/gpt-5.2' })
    expect(service.banner).toContain(
      '\nDEFAULT_MODEL is openai/gpt-5.2, but openai is not configured: set OPENAI_API_KEY, or set DEFAULT_MODEL to another model.\n',
    )
    const { stdout } = await promisify(execFile)('sh', ['-c', curlOf(service)])
    expect(JSON.parse(stdout).choices[0].message.citations).not.toEqual([])
  })

  test('still prints the curl if the command line created the database', async () => {
    const DATA_DIR = await emptyFolder()
    await parley(['call', 'list_apps'], { DATA_DIR })
    const service = await startParley({ DATA_DIR })
    expect(service.banner).toMatch(/^curl /m)
    expect(service.banner).toMatch(/token=/)
  })

  test('stores the secret key so that only this user can read it', async () => {
    const DATA_DIR = join(await emptyFolder(), 'data')
    await startParley({ DATA_DIR })
    expect((await stat(join(DATA_DIR, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700)
    expect(await readFile(join(DATA_DIR, 'secret.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })
})

// Skipped if npm has no PostgreSQL for the platform; global-setup.ts explains this once, with a
// fix.
describe.skipIf(inject('postgresUrl') === '')('the first start on PostgreSQL', () => {
  const made: Awaited<ReturnType<typeof makeDatabase>>[] = []
  afterEach(async () => {
    await Promise.all(made.splice(0).map(dropDatabase))
  })

  test('answers from the documentation too, and of two at once only one prints the curl', async () => {
    const database = await makeDatabase('postgres')
    made.push(database)
    const environment = {
      DATABASE_URL: database.databaseUrl ?? '',
      SECRET_KEY: 'ab'.repeat(32),
    }
    const both = await Promise.all([startParley(environment), startParley(environment)])
    const [first, ...others] = both.filter(({ banner }) => /^curl /m.test(banner))
    expect(others).toEqual([])
    const { stdout } = await promisify(execFile)('sh', ['-c', first ? curlOf(first) : 'exit 1'])
    expect(JSON.parse(stdout).choices[0].message.citations).not.toEqual([])
    const listed = await parley(['call', 'list_apps'], environment)
    expect(JSON.parse(listed.stdout).items).toHaveLength(1)
    for (const service of both) service.signal('SIGTERM')
    const ends = await Promise.all(both.map(({ finished }) => finished))
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
  })
})

describe('a failed start', () => {
  test('reports all invalid variables, one per line, without a stack trace', async () => {
    const environment = { PORT: 'http', LOG_LEVEL: 'loud', DATA_DIR: await emptyFolder() }
    const { code, stdout, stderr } = await parley(['start'], environment)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^parley: PORT /),
      expect.stringMatching(/^parley: LOG_LEVEL /),
    ])
  })

  test('reports a port in use before it creates anything', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const PORT = String(typeof address === 'object' ? address?.port : '')
    const DATA_DIR = join(await emptyFolder(), 'data')
    const { code, stderr } = await parley(['start'], { PORT, DATA_DIR })
    taken.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `parley: port ${PORT} is in use on 127.0.0.1: stop the process that listens there, or set PORT to another\n`,
    )
    await expect(stat(DATA_DIR)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('reports that the data folder cannot be written', async () => {
    // A file at the folder's path also stops the superuser, unlike permissions.
    const DATA_DIR = join(await emptyFolder(), 'file')
    await writeFile(DATA_DIR, '')
    const { code, stderr } = await parley(['start'], { PORT: '0', DATA_DIR })
    expect(code).toBe(1)
    expect(lastLine(stderr)).toMatch(/^parley: the data folder \S+ is not a folder: .*DATA_DIR/)
  })

  test('reports that PostgreSQL does not respond, without showing the password', async () => {
    const { code, stderr } = await parley(['start'], {
      PORT: '0',
      DATABASE_URL: 'postgres://parley:hush-hush@127.0.0.1:1/parley',
      SECRET_KEY: '0'.repeat(64),
    })
    expect(code).toBe(1)
    expect(lastLine(stderr)).toMatch(
      /^parley: PostgreSQL at 127\.0\.0\.1:1\/parley cannot be reached/,
    )
    expect(stderr).not.toContain('hush-hush')
  })

  test('rejects a secret key of another database, and a missing one', async () => {
    const DATA_DIR = await emptyFolder()
    await parley(['call', 'list_apps'], { DATA_DIR })
    const other = await parley(['start'], { PORT: '0', DATA_DIR, SECRET_KEY: 'ab'.repeat(32) })
    expect(other.code).toBe(1)
    expect(lastLine(other.stderr)).toMatch(/^parley: SECRET_KEY .* is not the key/)
    await mkdir(join(DATA_DIR, 'elsewhere'))
    await rename(join(DATA_DIR, 'secret.key'), join(DATA_DIR, 'elsewhere/secret.key'))
    const missing = await parley(['start'], { PORT: '0', DATA_DIR })
    expect(missing.code).toBe(1)
    expect(lastLine(missing.stderr)).toMatch(/^parley: the secret key of this database is missing/)
    await expect(stat(join(DATA_DIR, 'secret.key'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('stopping', () => {
  const models: ModelServer[] = []
  afterEach(async () => {
    await Promise.all(models.splice(0).map((model) => model.stop()))
  })

  /** A service whose demo agent uses a slow model. */
  async function startSlow(more: Readonly<Record<string, string>> = {}, chunkMs = 100) {
    const words = Array.from({ length: 12 }, (_, index) => `word${index} `)
    const slow = { reply: words, chunkMs }
    const model = await startModelServer({
      script: () => slow,
    })
    models.push(model)
    const DATA_DIR = await emptyFolder()
    const service = await startParley({
      DATA_DIR,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      DEFAULT_MODEL: 'openai/mock',
      ...more,
    })
    return { service, DATA_DIR, ask: () => stream(service) }
  }

  test('lets a streamed answer finish, accepts no new request, and exits with 0', async () => {
    const { service, ask } = await startSlow()
    const answer = await ask()
    service.signal('SIGTERM')
    await sleep(200)
    await expect(fetch(`${service.baseUrl}/healthz`)).rejects.toThrow()
    expect(await answer.text()).toMatch(/word11.*data: \[DONE\]/s)
    expect((await service.finished).code).toBe(0)
  })

  test('cuts off answers after the grace period, and keeps their text so far', async () => {
    const { service, ask, DATA_DIR } = await startSlow({ SHUTDOWN_GRACE_SECONDS: '0' })
    const answer = await ask()
    const sessionId = answer.headers.get('x-chat-session-id')
    const reader = answer.body?.getReader()
    await reader?.read()
    await sleep(250)
    service.signal('SIGTERM')
    expect((await service.finished).code).toBe(0)
    const input = JSON.stringify({ session_id: sessionId })
    const { stdout } = await parley(['call', 'get_conversation', input], { DATA_DIR })
    const { items } = JSON.parse(stdout).messages
    expect(items.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
    expect(items[1].content).toMatch(/^word0 /)
    expect(items[1].content).not.toContain('word11')
  })

  test('does not wait for idle connections that a client keeps open', async () => {
    const service = await startParley({ DATA_DIR: await emptyFolder() })
    await (await fetch(`${service.baseUrl}/healthz`)).text()
    service.signal('SIGINT')
    expect((await service.finished).code).toBe(0)
  })

  test('exits at once at the second signal', async () => {
    // An answer of ten seconds: on a busy machine, the first signal may arrive late.
    const { service, ask } = await startSlow({}, 800)
    // A response that nobody holds is collected, which would end it.
    const answer = await ask()
    service.signal('SIGINT')
    await sleep(1_500)
    service.signal('SIGINT')
    expect((await service.finished).code).toBe(130)
    await expect(answer.text()).rejects.toThrow()
  })

  test('treats the same Ctrl-C from the terminal and from npm as one', async () => {
    const { service, ask } = await startSlow()
    const answer = await ask()
    service.signal('SIGINT')
    service.signal('SIGINT')
    expect(await answer.text()).toContain('data: [DONE]')
    expect((await service.finished).code).toBe(0)
  })
})

async function stream(service: ParleyProcess): Promise<Response> {
  const curl = curlOf(service)
  const [, key = ''] = /Bearer (\S+)'/.exec(curl) ?? []
  const [, body = '{}'] = /-d '(.*)'/.exec(curl) ?? []
  return fetch(`${service.baseUrl}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...JSON.parse(body), stream: true }),
  })
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
