import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { LockWait } from './lock-wait.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

const heldMs = 900
const againMs = 200

function lockOf() {
  const lock = { held: true, attempts: 0 }
  const attempt = () => {
    lock.attempts += 1
    if (lock.held) throw Object.assign(new Error('database is locked'), { errcode: 5 })
  }
  return { lock, attempt }
}

const unavailable = { code: 'database_unavailable' }

async function timeOf(call: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await expect((async () => await call())()).rejects.toMatchObject(unavailable)
  return performance.now() - startedAt
}

test('the units of a request share one wait for a held lock', async () => {
  const { lock, attempt } = lockOf()
  const wait = new LockWait({ heldMs, againMs })
  expect(await timeOf(() => wait.begin(attempt))).toBeGreaterThanOrEqual(heldMs)
  const ofFirst = lock.attempts
  for (let unit = 0; unit < 3; unit += 1) await timeOf(() => wait.begin(attempt))
  // Each tries a few times: three whole waits would be three times as many attempts.
  expect(lock.attempts - ofFirst).toBeLessThan(2 * ofFirst)
})

test('a lock that was released is waited for again', async () => {
  const { lock, attempt } = lockOf()
  const wait = new LockWait({ heldMs, againMs })
  await timeOf(() => wait.begin(attempt))
  lock.held = false
  await wait.begin(attempt)
  lock.held = true
  expect(await timeOf(() => wait.begin(attempt))).toBeGreaterThanOrEqual(heldMs)
})

test('a lock that is released meanwhile fails no call', async () => {
  const { lock, attempt } = lockOf()
  const wait = new LockWait({ heldMs, againMs })
  const waiting = wait.begin(attempt)
  lock.held = false
  await expect(waiting).resolves.toBeUndefined()
})

test('an error of another kind is thrown at once', () => {
  const wait = new LockWait({ heldMs, againMs })
  const fail = () => wait.begin(() => JSON.parse('{'))
  expect(fail).toThrow(SyntaxError)
})

test('all units of a database wait in the same place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const db = openSqlite({ file: join(folder, 'parley.sqlite'), log: pino({ level: 'silent' }) })
  const begin = vi.spyOn(LockWait.prototype, 'begin')
  try {
    for (let unit = 0; unit < 3; unit += 1) await db.write(async () => undefined)
    expect(begin).toHaveBeenCalledTimes(3)
    expect(new Set(begin.mock.contexts).size).toBe(1)
  } finally {
    begin.mockRestore()
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
})
