import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Package {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const file = join(import.meta.dirname, '../../../package-lock.json')
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Package> }

// `npm ci` on a fresh clone refuses a lock file that lacks one. It happens when a version was not
// published for every platform, or when the lock file was made over an installed node_modules:
// choose a version that was, delete node_modules and package-lock.json, and run `npm install`.
test('the lock file holds the builds of every platform of every package', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(name))
      .map((name) => `${name} (wanted by ${path || 'package.json'})`),
  )
  expect(missing).toEqual([])
})

test('the lock file names no package registry', () => {
  const resolved = [...readFileSync(file, 'utf8').matchAll(/"resolved": "(https?:[^"]*)"/g)]
  expect(resolved.map((match) => match[1])).toEqual([])
})

function isLocked(name: string): boolean {
  return Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`))
}
