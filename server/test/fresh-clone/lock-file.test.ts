import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Package {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
}

const file = join(import.meta.dirname, '../../../package-lock.json')
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Package> }

// `npm ci` on a fresh clone refuses a lock file that lacks one. That happens if a version was not
// published for every platform, or if the lock file was written beside an installed node_modules.
// Choose another version, then run `npm install --package-lock-only` in a folder without
// node_modules.
test('the lock file contains every package’s builds for every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(name))
      .map((name) => `${name} (required by ${path || 'package.json'})`),
  )
  expect(missing).toEqual([])
})

// No test builds the image for arm64: this is what can be checked without such a machine.
test('a package of the image that has a build for Linux on x64 has one for arm64', () => {
  const builds = Object.entries(packages).filter(([, { os }]) => [os].flat().includes('linux'))
  const names = (processor: string) =>
    builds
      .filter(([, { cpu }]) => [cpu].flat().includes(processor))
      .map(([path]) => path.replace(processor, 'PROCESSOR'))
      .toSorted()
  expect(names('x64').length).toBeGreaterThan(4)
  expect(names('arm64')).toEqual(expect.arrayContaining(names('x64')))
})

test('the lock file names no package registry', () => {
  const resolved = [...readFileSync(file, 'utf8').matchAll(/"resolved": "(https?:[^"]*)"/g)]
  expect(resolved.map((match) => match[1])).toEqual([])
})

function isLocked(name: string): boolean {
  return Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`))
}
