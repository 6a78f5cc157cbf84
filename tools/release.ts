import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { releaseChangelog, sectionOf } from './release/changelog.ts'
import { contractChanges, type ContractChanges } from './release/contract-changes.ts'
import { contractNotes, migrationNotes, type MigrationFiles } from './release/release-notes.ts'
import { allowsRemovals, isLater, parseVersion, ReleaseError } from './release/version.ts'

/**
 * Prepares a release: `npm run release -- 1.2.3`. It sets the version, moves the changelog's top
 * section, and adds what changed in the contracts and migrations since the tag of the version before, or
 * since `--since COMMIT`. It commits nothing. `--check v1.2.3` verifies a tag against the files, and
 * `--notes v1.2.3` prints its section of the changelog; the release workflow runs both.
 */

const root = join(import.meta.dirname, '..')
const at = (file: string) => join(root, file)

/** Files with the version, and what is before it on its line. */
const versionLines: readonly (readonly [file: string, before: RegExp])[] = [
  ['package.json', /^ {2}"version": "/m],
  ['server/package.json', /^ {2}"version": "/m],
  ['dashboard/package.json', /^ {2}"version": "/m],
  ['package-lock.json', /^ {2}"version": "/m],
  ['package-lock.json', /^ {6}"name": "parley-workspace",\n {6}"version": "/m],
  ['package-lock.json', /^ {6}"name": "@parley\/dashboard",\n {6}"version": "/m],
  ['package-lock.json', /^ {6}"name": "parley",\n {6}"version": "/m],
  ['deploy/chart/Chart.yaml', /^version: /m],
  ['deploy/chart/Chart.yaml', /^appVersion: /m],
]

function main(): void {
  const text = { type: 'string' } as const
  const options = { since: text, check: text, notes: text }
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  if (values.check !== undefined) return checkTag(values.check)
  if (values.notes !== undefined) return print(sectionOf(read('CHANGELOG.md'), bare(values.notes)))
  const [version] = positionals
  if (version === undefined) throw new ReleaseError('name the version: npm run release -- 1.2.3')
  prepare(version, values.since)
}

function prepare(version: string, since: string | undefined): void {
  parseVersion(version)
  const before = currentVersion()
  if (!isLater(version, before))
    throw new ReleaseError(`${version} is not later than the version before, ${before}`)
  if (git('status', '--porcelain') !== '') throw new ReleaseError('commit all changes first')
  const base = commitOf(since ?? `v${before}`)
  const contracts = new Map(
    readdirSync(at('contracts')).map((file) => [file, changesOf(base, `contracts/${file}`)]),
  )
  refuseRemovals(contracts, version, before)
  const notes = [
    `### Upgrading\n\n${migrationNotes(releasedMigrations(base), currentMigrations())}`,
    contractNotes(contracts) === '' ? '' : `### Contracts\n\n${contractNotes(contracts)}`,
  ].join('\n\n')
  const heading = `${version} - ${new Date().toISOString().slice(0, 10)}`
  // Everything that can be refused comes before the first write.
  const changelog = releaseChangelog(read('CHANGELOG.md'), heading, notes)
  for (const [file, line] of versionLines) setVersion(file, line, version)
  writeFileSync(at('CHANGELOG.md'), changelog)
  print(notes)
  print(`\nRead the section in CHANGELOG.md, then: git commit --all --message "chore: ${version}"
&& git tag v${version} && git push --atomic origin HEAD v${version}`)
}

function refuseRemovals(
  contracts: ReadonlyMap<string, ContractChanges>,
  version: string,
  before: string,
): void {
  const removed = [...contracts].flatMap(([file, changes]) =>
    changes.removed.map((name) => `${file}: ${name}`),
  )
  if (removed.length === 0 || allowsRemovals(version, before)) return
  const kind = parseVersion(before)[0] === 0 ? 'minor' : 'major'
  throw new ReleaseError(
    `callers may use what was removed, so this needs a new ${kind} version:\n  ${removed.join('\n  ')}`,
  )
}

function changesOf(base: string, file: string): ContractChanges {
  const exists = git('ls-tree', '--name-only', base, file) !== ''
  const former: unknown = exists ? JSON.parse(git('show', `${base}:${file}`)) : { tools: [] }
  const current: unknown = JSON.parse(read(file))
  if (exists) return contractChanges(former, current)
  return { added: ['the whole contract'], changed: [], removed: [] }
}

const migrations = 'server/migrations'

/** From `git ls-tree`: `mode blob hash<tab>path`. */
function releasedMigrations(base: string): MigrationFiles {
  const lines = git('ls-tree', `${base}:${migrations}`).split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [about = '', name = ''] = line.split('\t')
      return [name, about.split(' ')[2] ?? '']
    }),
  )
}

function currentMigrations(): MigrationFiles {
  return releasedMigrations('HEAD')
}

function commitOf(ref: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`)
  } catch {
    throw new ReleaseError(`there is no ${ref}: name the released commit with --since COMMIT`)
  }
}

function checkTag(tag: string): void {
  const version = bare(tag)
  for (const [file, line] of versionLines) {
    const found = versionIn(file, line)
    if (found !== version)
      throw new ReleaseError(`${file} has version ${found}, the tag ${version}`)
  }
  sectionOf(read('CHANGELOG.md'), version)
  print(`${tag} is the version of every file`)
}

function currentVersion(): string {
  return versionIn('server/package.json', /^ {2}"version": "/m)
}

function versionIn(file: string, line: RegExp): string {
  const [, version] = new RegExp(`${line.source}([\\d.]+)`, 'm').exec(read(file)) ?? []
  if (version === undefined) throw new ReleaseError(`${file} names no version`)
  return version
}

function setVersion(file: string, line: RegExp, version: string): void {
  const pattern = new RegExp(`(${line.source})[\\d.]+`, 'm')
  writeFileSync(at(file), read(file).replace(pattern, `$1${version}`))
}

function bare(tag: string): string {
  return tag.replace(/^v/, '')
}

function read(file: string): string {
  return readFileSync(at(file), 'utf8')
}

function git(...args: readonly string[]): string {
  const settings = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  return execFileSync('git', args, settings).trim()
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  main()
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = 1
}
