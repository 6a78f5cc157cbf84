import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'

const serverFolder = join(import.meta.dirname, '..', '..')

test('every sentence of the interface is verified by at least one test', () => {
  const cited = new Set(testFiles().flatMap(citedIn))
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([])
})

function testFiles(): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(serverFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(serverFolder, folder, file)),
  )
}

/** The ids in the first argument of each `verifies(…)`, a string or an array of strings. */
function citedIn(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/\bverifies\(\s*(\[[^\]]*\]|'[^']*')/g)
  return [...calls].flatMap((call) =>
    [...(call[1] ?? '').matchAll(/'([^']+)'/g)].map((id) => id[1] ?? ''),
  )
}
