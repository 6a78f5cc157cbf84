import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../../tools/setup.mjs')

let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'parley-checkout-'))
  await mkdir(join(checkout, 'tools'))
  await cp(script, join(checkout, 'tools/setup.mjs'))
  await cp(join(script, '../lock.mjs'), join(checkout, 'tools/lock.mjs'))
  await writePackage('1.0.0')
})

afterEach(async () => {
  await rm(checkout, { recursive: true, force: true })
})

test('the first command installs packages and says so, the second finds them and is silent', async () => {
  const first = await setUp()
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toMatch(/^parley: installing packages .*\nparley: packages installed in /)
  expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('packages are installed again when the lock file changed', async () => {
  await setUp()
  await writePackage('1.0.1')
  expect((await setUp()).stderr).toContain('packages installed')
})

test('of two commands at once one installs and the other waits for it', async () => {
  const both = await Promise.all([setUp(), setUp()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.filter(({ stderr }) => stderr.includes('packages installed'))).toHaveLength(1)
})

test('a set-up that was killed does not stop the next one', async () => {
  await mkdir(join(checkout, '.cache'))
  const gone = 2 ** 22 + 1 // above the highest process id of Linux
  await writeFile(join(checkout, '.cache/setup.lock'), String(gone))
  expect((await setUp()).code).toBe(0)
})

test('packages that were installed by hand are taken as they are', async () => {
  await setUp()
  await rm(join(checkout, 'node_modules/.parley-setup'))
  const lock = JSON.parse(await readFile(join(checkout, 'package-lock.json'), 'utf8'))
  const noted = JSON.stringify({ packages: lock.packages })
  await writeFile(join(checkout, 'node_modules/.package-lock.json'), noted)
  expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('what npm cannot install is told in one line, and the exit code is 1', async () => {
  // A package that should be in the checkout itself: npm asks no registry for it.
  const dependencies = { absent: 'file:absent.tgz' }
  const manifest = { name: 'checkout', version: '1.0.0', dependencies }
  await writeFile(join(checkout, 'package.json'), JSON.stringify(manifest))
  const { code, stdout, stderr } = await setUp()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const [, failure, ...rest] = stderr.trimEnd().split('\n')
  expect(failure).toMatch(/^parley: installing packages failed: .*absent\.tgz/)
  expect(rest).toEqual([])
})

async function writePackage(version: string): Promise<void> {
  const manifest = { name: 'checkout', version }
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { '': manifest } }
  await writeFile(join(checkout, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify(lock))
}

function setUp(): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(checkout, 'tools/setup.mjs')],
      { cwd: checkout },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
  })
}
