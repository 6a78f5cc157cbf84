import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emptyFolder, parleyMain } from '#test/support/processes/parley-process.ts'

test('what Node reads from the compile cache does not stay in memory', async () => {
  const folder = await emptyFolder()
  const log = join(folder, 'log')
  // To a file, because Node drops some of these lines when a pipe is full.
  const script = '"$0" "$1" operations > "$2.out" 2> "$2"'
  await promisify(execFile)('sh', ['-c', script, process.execPath, parleyMain, log], {
    env: { PATH: process.env.PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
  })
  // Node reports each entry that it looks for and each time it drops all of them.
  const parts = (await readFile(log, 'utf8')).split('Clear deserialized cache')
  const kept = parts.map((part) => part.split('reading cache from').length - 1)
  expect(kept.reduce((sum, count) => sum + count)).toBeGreaterThan(1_000)
  // A module has up to two entries: without its types, and compiled.
  expect(Math.max(...kept)).toBeLessThanOrEqual(2 * 50 + 10)
})
