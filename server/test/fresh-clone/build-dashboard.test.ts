import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { brotliDecompressSync } from 'node:zlib'

const tools = join(import.meta.dirname, '../../../tools')

/** Replaces the bundler, which the browser tests cover. It copies one source file. */
const bundler = `
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const source = readFileSync('index.html', 'utf8')
if (source.includes('broken')) { console.error('[builtin] Error: a broken source'); process.exit(1) }
mkdirSync(process.env.DASHBOARD_BUILD + '/assets', { recursive: true })
writeFileSync(process.env.DASHBOARD_BUILD + '/assets/a.js', source)
writeFileSync(process.env.DASHBOARD_BUILD + '/index.html', source)
`

let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'parley-checkout-'))
  await mkdir(join(checkout, 'tools'))
  await mkdir(join(checkout, 'dashboard'))
  await mkdir(join(checkout, 'node_modules/vite/bin'), { recursive: true })
  for (const name of ['build-dashboard.mjs', 'lock.mjs'])
    await cp(join(tools, name), join(checkout, 'tools', name))
  await writeFile(join(checkout, 'package-lock.json'), '{}')
  await writeFile(join(checkout, 'node_modules/vite/package.json'), '{"type":"module"}')
  await writeFile(join(checkout, 'node_modules/vite/bin/vite.js'), bundler)
  await writeFile(join(checkout, 'dashboard/index.html'), 'first')
})

afterEach(async () => {
  await rm(checkout, { recursive: true, force: true })
})

function build(...options: string[]): Promise<{ code: number; stderr: string }> {
  const script = join(checkout, 'tools/build-dashboard.mjs')
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...options], (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stderr }),
    )
  })
}

const built = () => readFile(join(checkout, 'dashboard/dist/index.html'), 'utf8')

test('the first build is reported; without a change nothing is built or printed', async () => {
  const first = await build('--if-changed')
  expect(first.stderr).toMatch(/^parley: building the dashboard .*\nparley: dashboard built in /)
  expect(await built()).toBe('first')
  expect(await build('--if-changed')).toEqual({ code: 0, stderr: '' })
})

test('it is built again when a source or the packages changed', async () => {
  await build('--if-changed')
  await writeFile(join(checkout, 'dashboard/index.html'), 'second')
  await build('--if-changed')
  expect(await built()).toBe('second')
  await writeFile(join(checkout, 'package-lock.json'), '{"new":true}')
  expect((await build('--if-changed')).stderr).toContain('dashboard built')
})

test('its files are compressed', async () => {
  await build()
  const packed = await readFile(join(checkout, 'dashboard/dist/assets/a.js.br'))
  expect(brotliDecompressSync(packed).toString()).toBe('first')
})

test('a failed build reports the reason in one line and keeps the previous build', async () => {
  await build()
  await writeFile(join(checkout, 'dashboard/index.html'), 'broken')
  const failed = await build('--if-changed')
  expect(failed.code).toBe(1)
  expect(failed.stderr.split('\n')[1]).toBe(
    'parley: the dashboard was not built: [builtin] Error: a broken source',
  )
  expect(await built()).toBe('first')
})

test('before a start, a failed build is not an error: API clients are still served', async () => {
  await writeFile(join(checkout, 'dashboard/index.html'), 'broken')
  const failed = await build('--if-changed', '--or-without')
  expect(failed.code).toBe(0)
  expect(failed.stderr).toContain('the service starts without it')
})

test('of two concurrent builds, one builds and the other waits for it', async () => {
  const both = await Promise.all([build('--if-changed'), build('--if-changed')])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.filter(({ stderr }) => stderr.includes('dashboard built'))).toHaveLength(1)
})
