import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { partsOf } from './hot-path.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-profile-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const frame = (functionName: string, url = '') => ({ functionName, url })

/** The statement of a feature, called by it, and what V8 spends outside of functions. */
const nodes = [
  { id: 1, callFrame: frame('(root)'), children: [2, 5, 6] },
  { id: 2, callFrame: frame('turn', 'file:///p/server/src/features/turns/a.ts'), children: [3] },
  {
    id: 3,
    callFrame: frame('execute', 'file:///p/server/src/platform/db/sqlite/sqlite-connection.ts'),
    children: [4],
  },
  { id: 4, callFrame: frame('emit', 'node:events') },
  { id: 5, callFrame: frame('(idle)') },
  { id: 6, callFrame: frame('writev') },
]

function write(name: string, samples: readonly number[]): void {
  const timeDeltas = samples.map(() => 10)
  const profile = { startTime: 1000, nodes, samples, timeDeltas }
  writeFileSync(join(folder, name), JSON.stringify(profile))
}

test('the parts of a turn are the busy time of the load, divided by its turns', () => {
  // At 1010, 1020 … the first and the last are outside of the load.
  write('loop.cpuprofile', [2, 2, 3, 4, 5, 6, 3])
  write('thread.cpuprofile', [3])
  expect(partsOf(folder, { from: 1015, to: 1065, turns: 2 })).toEqual([
    { name: 'SQLite: the statements', micros: 10 },
    { name: 'Turn: session, prompt, credits', micros: 5 },
    { name: 'Writing to sockets', micros: 5 },
  ])
})
