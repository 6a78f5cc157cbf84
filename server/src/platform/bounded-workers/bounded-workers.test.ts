import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ForbiddenAccess } from '#test/support/processes/forbidden-access-task.ts'
import type { BoundedWorker } from './bounded-workers.ts'
import { createBoundedWorkers } from './create-bounded-workers.ts'
import { readablePaths } from './readable-paths.ts'

const checkout = join(import.meta.dirname, '../../../..')
const module = new URL(import.meta.resolve('#test/support/processes/forbidden-access-task.ts'))
const limits = {
  heapMegabytes: 128,
  residentMegabytes: 400,
  silenceMs: 20_000,
  totalMs: 60_000,
}
const denied = 'ERR_ACCESS_DENIED'

describe('a worker cannot read the database or the secret key in a data folder', () => {
  const listening = createServer()
  const folders: string[] = []
  let port = 0

  beforeAll(async () => {
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    const address = listening.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true })
    await new Promise((resolve) => listening.close(resolve))
  })

  function folderIn(parent: string): string {
    mkdirSync(parent, { recursive: true })
    const folder = mkdtempSync(join(parent, 'test-data-'))
    folders.push(folder)
    return folder
  }

  function linkIn(parent: string, target: string): string {
    const link = join(folderIn(parent), 'link')
    symlinkSync(target, link)
    return link
  }

  async function attempt(dataDir: string, others: readonly string[] = []): Promise<unknown> {
    const files = ['parley.sqlite', 'parley.sqlite-wal', 'secret.key'].map((name) =>
      join(dataDir, name),
    )
    for (const file of files) writeFileSync(file, 'secret')
    const read = [...files, ...others]
    const task: ForbiddenAccess = { read, write: join(dataDir, 'new'), port }
    const worker = createBoundedWorkers({ dataDir }).open(module, limits)
    try {
      for await (const answer of worker.run(task, [], new AbortController().signal)) {
        expect(answer).toEqual({
          environment: [],
          read: read.map(() => denied),
          write: denied,
          program: denied,
          thread: denied,
          network: denied,
        })
        return answer
      }
    } finally {
      worker.close()
    }
    return null
  }

  test.each([
    ['outside the project', () => folderIn(tmpdir())],
    ['in the project', () => folderIn(checkout)],
    [
      'in the server, which a link in node_modules names too',
      () => folderIn(join(checkout, 'server')),
    ],
    ['among the code', () => folderIn(join(checkout, 'server/src/platform'))],
    ['among the packages', () => folderIn(join(checkout, 'node_modules/.test'))],
    [
      'behind a link among the code',
      () => linkIn(join(checkout, 'server/src'), folderIn(tmpdir())),
    ],
  ])('%s', async (_where, dataDir) => {
    const folder = dataDir()
    const linked = folder.startsWith(join(checkout, 'server'))
      ? [
          join(
            checkout,
            'node_modules/parley',
            folder.slice(join(checkout, 'server').length),
            'secret.key',
          ),
        ]
      : []
    expect(await attempt(folder, linked)).not.toBeNull()
  })

  test('that contains the project, of which it reads the code alone', () => {
    expect(readablePaths(join(checkout, '..'))).toEqual(readablePaths(tmpdir()))
    expect(readablePaths(checkout)).not.toContain(checkout)
  })
})

describe('a worker between two tasks', () => {
  const idle = new URL(import.meta.resolve('#test/support/processes/process-id-task.ts'))

  async function pidOf(worker: BoundedWorker): Promise<number> {
    const [pid] = await Array.fromAsync(worker.run({}, [], new AbortController().signal))
    return Number(pid)
  }

  test('keeps its process, and gets another if that ends', async () => {
    const worker = createBoundedWorkers({ dataDir: tmpdir() }).open(idle, limits)
    const first = await pidOf(worker)
    expect(await pidOf(worker)).toBe(first)
    process.kill(first, 'SIGKILL')
    // Starting a process takes a second on a busy machine.
    await vi.waitFor(async () => expect(await pidOf(worker)).not.toBe(first), 20_000)
    worker.close()
  })

  test('does not keep the process that uses it running, and ends with it', async () => {
    const script = join(checkout, 'server/test/support/processes/idle-worker-process.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 20_000 })
    // The system may take some seconds to collect the ended process.
    const isGone = () => expect(() => process.kill(Number(stdout), 0)).toThrow('ESRCH')
    await vi.waitFor(isGone, 20_000)
  })
})

test('a worker whose answers are not all read leaves no pipe open', async () => {
  const many = new URL(import.meta.resolve('#test/support/processes/many-answers-task.ts'))
  // Other tests' workers may still be ending.
  const openSince = new Set(readdirSync('/dev/fd'))
  const left = () => readdirSync('/dev/fd').filter((file) => !openSince.has(file)).length
  const count = 4
  for (let n = 0; n < count; n++) {
    const worker = createBoundedWorkers({ dataDir: tmpdir() }).open(many, limits)
    for await (const answer of worker.run({}, [], new AbortController().signal)) {
      expect(answer).toHaveLength(1_000)
      // More is read into memory meanwhile.
      await sleep(300)
      break
    }
    worker.close()
  }
  // Reading the folder opens it, and the first worker loads code.
  await vi.waitFor(() => expect(left()).toBeLessThan(count), 5_000)
})
