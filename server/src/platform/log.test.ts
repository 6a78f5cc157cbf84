import { describe, expect, test } from 'vitest'
import { readConfig } from '#config'
import { createLogger } from './log.ts'

function logging(environment: Readonly<Record<string, string>> = {}) {
  const lines: string[] = []
  const log = createLogger(readConfig(environment), { write: (line) => void lines.push(line) })
  return { log, lines }
}

test('a line is one JSON object with level, time, process and message', () => {
  const { log, lines } = logging()
  log.info({ port: 3000 }, 'ready')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    pid: process.pid,
    port: 3000,
    msg: 'ready',
  })
})

test('LOG_LEVEL sets the least severe line that is written', () => {
  const { log, lines } = logging({ LOG_LEVEL: 'warn' })
  log.info('unheard')
  log.warn('heard')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['heard'])
})

describe('a line contains no secret', () => {
  const secrets = {
    'a bearer header': { req: { headers: { authorization: 'Bearer hush-hush-hush' } } },
    'a bearer header in an error': { err: new Error('sent Authorization: Bearer hush-hush-hush') },
    'a chat key': { detail: 'tried svc_ck_hush-hush-hush' },
    'a developer key': { url: '/mcp?key=svc_sk_hush-hush-hush' },
    'a checkout key': { note: ['acp_hushhushhushhushhushhushhushhush'] },
    'a password field': { input: { password: 'hush-hush-hush' } },
    'a cookie': { headers: { cookie: 'session=hush-hush-hush' } },
    'a secret field at any depth': { a: { b: [{ c: { token: { of: 'hush-hush-hush' } } }] } },
    'a secret field with an odd value': { api_key: 'hush "}, \\" hush\nhush' },
    'a password in a URL': { err: new Error('connect postgres://ada:hush-hush-hush@db/parley') },
    'a provider’s key in the provider’s own message': {
      detail: 'Incorrect API key: sk-proj-hush-hush-hush',
    },
  }

  test.each(Object.entries(secrets))('%s', (_, fields) => {
    const { log, lines } = logging()
    log.error(fields, 'failed')
    expect(lines.join('')).not.toMatch(/hush/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'failed' })
  })

  test('its other fields stay, and a text that only mentions such a field', () => {
    const { log, lines } = logging()
    log
      .child({ cookie: 'hush' })
      .warn({ status: 401, n: [1, null], input: { token: 'hush' } }, 'no')
    log.warn({ detail: '{"token":1}' }, 'said')
    expect(lines.every((line) => line.endsWith('}\n'))).toBe(true)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { cookie: '[secret]', status: 401, n: [1, null], input: { token: '[secret]' }, msg: 'no' },
      { detail: '{"token":1}', msg: 'said' },
    ])
  })

  test('the value of a secret variable in any format', () => {
    const secrets = { OPENAI_API_KEY: 'open sesame', OWNER_PASSWORD: 'correct horse' }
    const { log, lines } = logging(secrets)
    log.error({ detail: { deeper: ['x open sesame y'] } }, 'said correct horse')
    expect(lines.join('')).not.toMatch(/sesame|horse/)
  })

  test('the password of an address, even without the address', () => {
    const smtp = { SMTP_URL: 'smtp://ada:hush%2Bhush-hush@mail.example', MAIL_FROM: 'a@b.example' }
    const { log, lines } = logging(smtp)
    log.error({ detail: 'AUTH ada hush+hush-hush' }, 'said hush%2Bhush-hush')
    expect(lines.join('')).not.toMatch(/hush/)
  })
})
