import { execFile } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { describe, expect, inject, test, vi } from 'vitest'
import { z } from 'zod'
import {
  dropDatabase,
  environmentOfSettings,
  makeDatabase,
} from '#test/support/databases/engines.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
  type Environment,
} from '#test/support/processes/parley-process.ts'

cleansUp()

/** Runs a command that may not create a file of more than `most` blocks of 512 bytes. */
async function within(most: number, args: readonly string[], environment: Environment) {
  const main = join(import.meta.dirname, '../main.ts')
  const shell = ['-c', `ulimit -f ${most}; exec "$0" "$@"`, process.execPath, main, ...args]
  const env = { PATH: process.env.PATH, ...environment }
  return await promisify(execFile)('sh', shell, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** A database without the demo agent, and its size in blocks. */
async function database() {
  const DATA_DIR = await emptyFolder()
  const environment = { DATA_DIR, DEMO: 'false' }
  await parley(['call', 'create_app', '{"name":"Helpdesk"}'], environment)
  return {
    environment,
    blocks: Math.ceil((await stat(join(DATA_DIR, 'parley.sqlite'))).size / 512),
  }
}

describe('a full disk is explained in one line, not as an internal error,', () => {
  test('by a command that writes, and does not affect one that reads', async () => {
    const { environment, blocks } = await database()
    const file = join(await emptyFolder(), 'long.md')
    // Larger than the limit: a smaller one is stored, and reading it is tried again later.
    await writeFile(file, 'The narwhal dives deep. '.repeat(200_000))
    const add = ['knowledge', 'add', file, '--app', 'helpdesk-10001']
    expect(await within(blocks + 64, add, environment)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^parley: the disk of \S+ fails \(.*\n$/),
    })
    const asked = JSON.stringify({ name: 'Two', system_prompt: 'x'.repeat(20_000) })
    const called = await within(72, ['call', 'create_app', asked], environment)
    expect(called).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(called.stderr).error).toEqual({
      code: 'database_unavailable',
      message: expect.stringMatching(/^the disk of \S+ fails /),
    })
    expect(await within(blocks, ['call', 'list_apps'], environment)).toMatchObject({ code: 0 })
  })

  test('by backup and restore, with the full folder', async () => {
    const { environment } = await database()
    const folder = await emptyFolder()
    const backup = join(folder, 'parley.backup')
    expect(await within(200, ['backup', backup], environment)).toEqual({
      code: 1,
      stdout: '',
      stderr: `parley: the backup failed: its copy cannot be written into ${folder} (disk I/O error): make room there\n`,
    })
    expect(await readdir(folder)).toEqual([])
    await parley(['backup', backup], environment)
    const DATA_DIR = await emptyFolder()
    expect(await within(200, ['restore', backup], { DATA_DIR })).toEqual({
      code: 1,
      stdout: '',
      stderr: `parley: ${backup} was not restored: its copy cannot be written into ${DATA_DIR} (disk I/O error): make room there\n`,
    })
    expect(await readdir(DATA_DIR)).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')('by one whose output it takes', async () => {
    const main = join(import.meta.dirname, '../main.ts')
    const command = ['-c', 'exec "$0" "$1" operations > /dev/full', process.execPath, main]
    const ended = promisify(execFile)('sh', command, { env: { PATH: process.env.PATH } })
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^parley: the output cannot be written: ENOSPC.*\n$/),
    })
  })
})

test('a start explains in one line that the disk failed while the demo agent was created', async () => {
  const DATA_DIR = await emptyFolder()
  await parley(['migrate'], { DATA_DIR })
  // In blocks of 512 bytes: enough for the database so far, but not for the documentation.
  const most = Math.ceil((await stat(join(DATA_DIR, 'parley.sqlite'))).size / 512) + 8
  const environment = { DATA_DIR, PORT: '0', LOG_LEVEL: 'silent' }
  expect(await within(most, ['start'], environment)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^parley: the disk of \S+ fails \(.*\n$/),
  })
})

describe('/readyz answers 503 with the reason `disk`', () => {
  test('from a failed write until the disk accepts one again', async () => {
    const DATA_DIR = await emptyFolder()
    const environment = { DATA_DIR, LOG_LEVEL: 'silent' }
    const first = await startParley(environment)
    const [, key = ''] = /Bearer (\S+)'/.exec(first.banner) ?? []
    const [, body = ''] = /-d '(.*)'/.exec(first.banner) ?? []
    first.signal('SIGTERM')
    await first.finished
    const blocks = Math.ceil((await stat(join(DATA_DIR, 'parley.sqlite'))).size / 512)
    const service = await startParley(environment, `ulimit -S -f ${blocks + 64}`)
    const ready = async () => {
      const response = await fetch(`${service.origin}/readyz`)
      return {
        status: response.status,
        ...z.object({ reason: z.string().optional() }).parse(await response.json()),
      }
    }
    expect(await ready()).toEqual({ status: 200 })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const chat = () =>
      fetch(`${service.origin}/api/v1/chat/completions`, { method: 'POST', headers, body })
    // A small write may fit where a turn does not, so it takes several.
    await vi.waitFor(
      async () => {
        expect((await chat()).status).toBe(503)
        expect(await ready()).toEqual({ status: 503, reason: 'disk' })
      },
      { timeout: 30_000, interval: 0 },
    )
    await promisify(execFile)('prlimit', [`--pid=${service.pid}`, '--fsize=unlimited'])
    expect(await ready()).toEqual({ status: 200 })
    expect((await chat()).status).toBe(200)
  })

  test.skipIf(inject('postgresUrl') === '')(
    'from a write that PostgreSQL refuses for a full disk until it accepts one again',
    async () => {
      const settings = await makeDatabase('postgres')
      const client = new Client({ connectionString: settings.databaseUrl })
      await client.connect()
      try {
        const environment = { ...environmentOfSettings(settings), LOG_LEVEL: 'silent' }
        const service = await startParley(environment)
        const { origin, banner } = service
        const [, key = ''] = /Bearer (\S+)'/.exec(banner) ?? []
        const [, body = ''] = /-d '(.*)'/.exec(banner) ?? []
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const statusOf = async (path: string, init: RequestInit = {}) =>
          (await fetch(origin + path, init)).status
        const chat = () => statusOf('/api/v1/chat/completions', { method: 'POST', headers, body })
        await client.query(`create function fail_full() returns trigger language plpgsql as $$ begin
          raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
        for (const table of ['chat_sessions', 'sequences'])
          await client.query(
            `create trigger full_disk before insert on ${table} execute function fail_full()`,
          )
        expect(await statusOf('/readyz')).toBe(200)
        expect(await chat()).toBe(503)
        const unready = await fetch(`${origin}/readyz`)
        expect(unready.status).toBe(503)
        expect(await unready.json()).toMatchObject({ reason: 'disk' })
        for (const table of ['chat_sessions', 'sequences'])
          await client.query(`drop trigger full_disk on ${table}`)
        expect(await statusOf('/readyz')).toBe(200)
        expect(await chat()).toBe(200)
        service.signal('SIGTERM')
        await service.finished
      } finally {
        await client.end()
        await dropDatabase(settings)
      }
    },
  )

  test('below MIN_FREE_DISK_BYTES', async () => {
    const environment = { DATA_DIR: await emptyFolder(), MIN_FREE_DISK_BYTES: String(2 ** 52) }
    const { origin } = await startParley(environment)
    const response = await fetch(`${origin}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ reason: 'disk' })
  })
})
