import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folders = ['server/src', 'server/test', 'dashboard/src']

test('every sentence of the interface is verified by at least one test', () => {
  const cited = new Set(testFiles().flatMap(citedIn))
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([])
})

/** The test files of every tier: some sentences are verified only by browser or client tests. */
function testFiles(): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.test\.tsx?$/.test(file))
      .map((file) => join(root, folder, file)),
  )
}

/** The ids in the first argument of each `verifies(…)`, a string or an array of strings. */
function citedIn(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/\bverifies\(\s*(\[[^\]]*\]|'[^']*')/g)
  return [...calls].flatMap((call) =>
    [...(call[1] ?? '').matchAll(/'([^']+)'/g)].map((id) => id[1] ?? ''),
  )
}
