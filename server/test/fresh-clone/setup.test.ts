import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../../tools/setup.mjs')

const run = promisify(execFile)

let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'parley-checkout-'))
  await mkdir(join(checkout, 'tools'))
  await cp(script, join(checkout, 'tools/setup.mjs'))
  await cp(join(script, '../lock.mjs'), join(checkout, 'tools/lock.mjs'))
  await writePackages('1.0.0')
})

afterEach(async () => {
  await rm(checkout, { recursive: true, force: true })
})

test('the first command installs packages and reports it; the second finds them and prints nothing', async () => {
  const first = await setUp()
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toMatch(
    /^parley: installing the packages .*\nparley: packages installed in /,
  )
  expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('packages are installed again when the lock file changed', async () => {
  await setUp()
  await writePackages('1.0.1')
  expect((await setUp()).stderr).toContain('packages installed')
})

test('of two concurrent commands, one installs and the other waits for it', async () => {
  const both = await Promise.all([setUp(), setUp()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.filter(({ stderr }) => stderr.includes('packages installed'))).toHaveLength(1)
})

test('a killed set-up does not block the next one', async () => {
  await mkdir(join(checkout, '.cache'))
  const gone = 2 ** 22 + 1 // above the highest process id of Linux
  await writeFile(join(checkout, '.cache/setup.lock'), String(gone))
  expect((await setUp()).code).toBe(0)
})

test('a killed installation is repeated', async () => {
  await setUp()
  await writeFile(join(checkout, 'node_modules/.parley-setup'), 'unfinished')
  expect((await setUp()).stderr).toContain('packages installed')
})

test('packages that were installed by hand are kept', async () => {
  await run('npm', ['ci'], { cwd: checkout })
  expect(await setUp('--develop')).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('if npm cannot install a package, one line gives the reason and the exit code is 1', async () => {
  // The package would be in the checkout itself, so npm asks no registry for it.
  const dependencies = { absent: 'file:absent.tgz' }
  const manifest = { name: 'checkout', version: '1.0.0', dependencies }
  await writeFile(join(checkout, 'package.json'), JSON.stringify(manifest))
  const { code, stdout, stderr } = await setUp()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const [, failure, ...rest] = stderr.trimEnd().split('\n')
  expect(failure).toMatch(/^parley: installing packages failed: .*absent\.tgz/)
  expect(rest).toEqual([])
})

test('if the Node of the packages lacks a library, one line names it and the exit code is 1', async () => {
  const bin = join(checkout, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  const failing = `#!/bin/sh
echo 'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file' >&2
exit 127
`
  await writeFile(join(bin, 'node'), failing, { mode: 0o755 })
  const { code, stderr } = await setUp()
  expect(code).toBe(1)
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /needs libatomic\.so\.1,.*apt-get install libatomic1/,
  )
})

test('a run installs the packages for running, and development adds the rest', async () => {
  await setUp()
  expect(await installed()).toEqual(['always'])
  expect((await setUp('--develop')).stderr).toContain('packages installed')
  expect(await installed()).toEqual(['always', 'tests'])
  expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('a run after development removes no package, even if the lock file changed', async () => {
  await setUp('--develop')
  await writePackages('1.0.1')
  expect((await setUp()).stderr).toContain('packages installed')
  expect(await installed()).toEqual(['always', 'tests'])
  expect(await setUp('--develop')).toEqual({ code: 0, stdout: '', stderr: '' })
})

async function installed(): Promise<string[]> {
  const names = await readdir(join(checkout, 'node_modules'))
  return names.filter((name) => !name.startsWith('.')).sort()
}

/** A checkout with a package for running and one for tests, both from archives: npm asks no registry. */
async function writePackages(version: string): Promise<void> {
  for (const name of ['always', 'tests']) {
    const source = join(checkout, 'sources', name, 'package')
    await mkdir(source, { recursive: true })
    await writeFile(join(source, 'package.json'), JSON.stringify({ name, version }))
    await run('tar', [
      '-czf',
      join(checkout, `${name}-${version}.tgz`),
      '-C',
      dirname(source),
      'package',
    ])
  }
  const manifest = {
    name: 'checkout',
    version: '1.0.0',
    dependencies: { always: `file:always-${version}.tgz` },
    devDependencies: { tests: `file:tests-${version}.tgz` },
  }
  await writeFile(join(checkout, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--package-lock-only'], { cwd: checkout })
}

function setUp(...options: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(checkout, 'tools/setup.mjs'), ...options],
      { cwd: checkout },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
  })
}
