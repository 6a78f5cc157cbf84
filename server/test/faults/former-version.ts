import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isBreaking } from '#platform/db/plan-migrations.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const checkouts = join(root, '.cache', 'upgrade')

/**
 * The commits to upgrade from: the one before this tree, and the one before the newest migration. Or
 * the one that `UPGRADE_FROM` names. Empty without a history of git, and for those that cannot run
 * beside this tree because a migration since then ends with `-breaking`.
 */
export function formerVersions(): readonly string[] {
  const { UPGRADE_FROM: chosen } = process.env
  const names =
    chosen === undefined ? [isChanged() ? 'HEAD' : 'HEAD~1', beforeNewestMigration()] : [chosen]
  const commits = names.map((name) =>
    git('rev-parse', '--short=12', '--verify', `${name}^{commit}`),
  )
  return [...new Set(commits)].filter((commit) => commit !== '' && canRunBeside(commit))
}

/**
 * Checks a commit out below `.cache` and gives it packages: those of this tree if the lock files
 * are the same, otherwise an installation of its own.
 *
 * @returns its `main.ts`
 */
export async function checkOutFormer(commit: string): Promise<string> {
  const folder = join(checkouts, commit)
  await mkdir(checkouts, { recursive: true })
  if (!existsSync(folder)) {
    const draft = await mkdtemp(join(checkouts, 'draft-'))
    const unpack = 'git -C "$0" archive "$1" | tar -x -C "$2"'
    await run('sh', ['-c', unpack, root, commit, draft])
    await rename(draft, folder)
  }
  await addPackages(folder)
  return join(folder, 'server', 'src', 'main.ts')
}

/** Removes the checkouts of other commits than these. */
export async function removeOtherCheckouts(commits: readonly string[]): Promise<void> {
  const found = await readdir(checkouts).catch(() => [])
  for (const name of found)
    if (!commits.includes(name)) await rm(join(checkouts, name), { recursive: true })
}

async function addPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  if (existsSync(modules)) return
  const lock = (of: string) => readFile(join(of, 'package-lock.json'), 'utf8')
  if ((await lock(folder)) === (await lock(root)))
    // Hard links: the service lets its workers read nothing outside of its own folder.
    await run('cp', ['-al', join(root, 'node_modules'), modules])
  else await run(process.execPath, [join(folder, 'tools', 'setup.mjs')], { cwd: folder })
}

function isChanged(): boolean {
  return git('status', '--porcelain', '--', 'server') !== ''
}

/** While a migration is not released, its text may change, and no service runs on a former text of it. */
function beforeNewestMigration(): string {
  const changes = git('log', '-20', '--format=%H', '--', 'server/migrations').split('\n')
  const before = changes.map((commit) => `${commit}~1`)
  return before.find(hasMigrationsOfToday) ?? ''
}

/** Whether each migration that a commit has is the same in this tree. */
function hasMigrationsOfToday(commit: string): boolean {
  return git('diff', '--name-only', '--diff-filter=MDR', commit, '--', 'server/migrations') === ''
}

function canRunBeside(commit: string): boolean {
  const migrations = (name: string) =>
    git('ls-tree', '--name-only', name, 'server/migrations/')
      .split('\n')
      .map((path) => path.replace(/^.*\/|(?:\.(?:sqlite|postgres))?\.sql$/g, ''))
  const then = new Set(migrations(commit))
  return !migrations('HEAD').some((name) => !then.has(name) && isBreaking(name))
}

/** Empty if it fails: there is no git, no history, or no such commit. */
function git(...args: readonly string[]): string {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: [...stdio],
    }).trim()
  } catch {
    return ''
  }
}
