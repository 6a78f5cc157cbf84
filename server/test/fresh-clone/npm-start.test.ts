import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

let folder: string
let npm: ChildProcess | null

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-'))
  npm = null
})

afterEach(async () => {
  // Stops the whole group, so that no process of npm outlives a failed test.
  if (npm?.pid !== undefined && npm.exitCode === null && npm.signalCode === null) {
    process.kill(-npm.pid, 'SIGKILL')
    await once(npm, 'close')
  }
  await rm(folder, { recursive: true, force: true })
})

/** Runs `npm start` in a process group of its own, as a shell does, until the service is ready. */
async function npmStart(): Promise<{ child: ChildProcess; pid: number; baseUrl: string }> {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  npm = child
  let output = ''
  for await (const piece of child.stdout) {
    output += String(piece)
    const [, baseUrl] = /ready at (\S+)/.exec(output) ?? []
    if (baseUrl !== undefined) return { child, pid: child.pid ?? 0, baseUrl }
  }
  throw new Error(`npm start ended before it was ready: ${output}`)
}

async function isGone(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/healthz`).then(
    () => false,
    () => true,
  )
}

test('SIGTERM to npm stops the service, which exits with 0', async () => {
  const { child, baseUrl } = await npmStart()
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(await isGone(baseUrl)).toBe(true)
})

test('Ctrl-C stops the service, which exits with 0', async () => {
  const { child, pid, baseUrl } = await npmStart()
  process.kill(-pid, 'SIGINT')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(await isGone(baseUrl)).toBe(true)
})
