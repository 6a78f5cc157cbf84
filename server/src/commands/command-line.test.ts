import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { operations } from '#operations/catalogue.ts'
import { parleyVersion } from '#platform/documentation.ts'
import { runCommandLine } from './command-line.ts'
import { nearest } from './nearest.ts'

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const code = await runCommandLine(args, {
    environment: {},
    stdin: Readable.from([]),
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
  })
  return { code, ...written }
}

const commands = [
  'start',
  'migrate',
  'operations',
  'call',
  'knowledge',
  'products',
  'conversations',
  'audit',
  'user',
  'backup',
  'restore',
  'db',
  'doctor',
] as const

describe('help', () => {
  test('lists every command, also if none is named', async () => {
    const help = await run('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const name of commands) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(await run()).toEqual(help)
  })

  test.each(['--version', '-v'])('%s prints the version', async (flag) => {
    expect(await run(flag)).toEqual({ code: 0, stdout: `${parleyVersion()}\n`, stderr: '' })
  })

  test('for a call of one operation describes its input', async () => {
    const help = await run('call', 'create_app', '--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(/^Usage: parley call create_app /)
    expect(help.stdout).toMatch(/^  name +required string\. Shown to people/m)
    expect(help.stdout).toMatch(/^  temperature +number or null\. /m)
    expect(help.stdout).toMatch(/^  suggestions +list of string\. /m)
    expect(help.stdout).toMatch(/^  retrieval +\{mode, top_k, /m)
    expect(help.stdout).toMatch(/^  workspace_id +UUID\. /m)
    expect((await run('call', 'whoami', '--help')).stdout).toMatch(/^It has no input\.$/m)
    expect((await run('call', 'xyzzy', '--help')).stdout).toBe((await run('call', '--help')).stdout)
  })

  test.each(operations)('of a call of $name has a word for each field', async ({ name, input }) => {
    const { code, stdout } = await run('call', name, '--help')
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/undefined|\[object/)
    for (const field of Object.keys(input.shape))
      expect(stdout).toMatch(new RegExp(`^  ${field} +\\S`, 'm'))
  })

  test.each(commands)('of %s shows its usage and does nothing else', async (name) => {
    const help = await run(name, '--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toMatch(new RegExp(`^Usage: parley ${name}`))
  })
})

describe('a wrong command line is explained in one line, and the exit code is 2', () => {
  test.each([
    [['migrat'], 'parley: there is no command "migrat": did you mean `migrate`?\n'],
    [['xyzzy'], 'parley: there is no command "xyzzy": see `parley --help`\n'],
    [['toString'], 'parley: there is no command "toString": see `parley --help`\n'],
    [['start', '--fast'], "parley: unknown option '--fast': usage is `parley start`\n"],
    [['start', 'now'], 'parley: unexpected "now": usage is `parley start`\n'],
    [['restore'], 'parley: name a backup: usage is `parley restore FILE [--force]`\n'],
    [['user', 'delete'], /^parley: usage is `parley user create\|reset-password\|.*`\n$/],
    [['user', 'toString'], /^parley: usage is `parley user create\|reset-password\|.*`\n$/],
    [['user', 'create', '--password', 'words'], /^parley: --email is missing: .*\n$/],
    [['call'], /^parley: name an operation: .*\n$/],
    [['call', 'list_apps', '--as'], /^parley: option '--as <value>' argument missing: .*\n$/],
  ])('%j', async (args, said) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toEqual(typeof said === 'string' ? said : expect.stringMatching(said))
  })
})

test('the catalogue is one JSON array of every operation with its schemas', async () => {
  const { code, stdout } = await run('operations')
  expect(code).toBe(0)
  const listed: Record<string, unknown>[] = JSON.parse(stdout)
  expect(listed.map(({ name }) => name)).toEqual(operations.map(({ name }) => name))
  for (const operation of listed)
    expect(operation).toMatchObject({
      title: expect.any(String),
      description: expect.any(String),
      hints: expect.any(Object),
      faces: expect.any(Array),
      input: { type: 'object' },
      output: { type: 'object' },
    })
})

describe('the documentation of the command line', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8')

  test.each(commands)('has a row for %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'))
  })

  test('lists no role for personal operations, and `operator` for those on the instance', () => {
    for (const { name, operatorOnly } of operations.filter(({ personal }) => personal)) {
      const least = operatorOnly ? 'operator' : 'viewer'
      expect(page).toMatch(new RegExp(`^\\| \`${name}\` .* \\| ${least} \\|$`, 'm'))
    }
  })
})

describe('the nearest names', () => {
  test('are those with edits for at most a quarter of the letters, best first', () => {
    expect(nearest('lst_apps', ['get_app', 'list_apps', 'list_app_versions'])).toEqual([
      'list_apps',
    ])
    expect(nearest('create', ['delete_app', 'update'])).toEqual([])
  })
})
