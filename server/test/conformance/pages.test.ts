import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const page = (path: string) => readFileSync(join(root, path), 'utf8')

function foldersIn(path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

describe('ARCHITECTURE.md', () => {
  const text = page('ARCHITECTURE.md')

  test.each(['server/src', 'server/src/features', 'server/src/surfaces', 'server/src/platform'])(
    'names every folder of %s',
    (path) => {
      const missing = foldersIn(path).filter((name) => !new RegExp(`\\b${name}[\`/]`).test(text))
      expect(missing).toEqual([])
    },
  )

  test('names every single-file port of platform and every command', () => {
    const ports = readdirSync(join(root, 'server/src/platform'))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => !text.includes(name))
    expect(ports).toEqual([])
    const listed = page('server/src/commands/command-line.ts').matchAll(/^ {2}(\w+): \{$/gm)
    const commands = [...listed].map(([, name = '']) => name)
    expect(commands).toContain('doctor')
    for (const name of commands) expect(text).toContain(name)
  })
})

test('server/test/README.md names every folder of server/test', () => {
  const text = page('server/test/README.md')
  for (const name of foldersIn('server/test')) expect(text).toContain(`\`${name}\``)
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every file that %s names exists', (path) => {
  const named = [...page(path).matchAll(/`(\w[\w./-]*\.(?:ts|mjs|md|json))`/g)].map(
    ([, name]) => name,
  )
  expect(named.length).toBeGreaterThan(5)
  const missing = named.filter(
    (name = '') =>
      !existsSync(join(root, name)) &&
      globSync(`{server,dashboard,tools}/{src,test}/**/${name}`, { cwd: root }).length === 0,
  )
  expect(missing).toEqual([])
})

test('the README links to every page of docs, and the list of decisions to every decision', () => {
  const readme = page('README.md')
  const pages = globSync('docs/*.md', { cwd: root })
  expect(pages.filter((path) => !readme.includes(`](${path})`))).toEqual([])
  const list = page('docs/decisions/README.md')
  const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((path) =>
    basename(path),
  )
  expect(decisions.filter((name) => !list.includes(`](${name})`))).toEqual([])
})
