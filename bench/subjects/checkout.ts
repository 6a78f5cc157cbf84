import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commitOf, root } from '../suite/machine.ts'

const run = promisify(execFile)
const checkouts = join(root, '.cache', 'bench')

/**
 * Checks commits out beside this tree and installs their packages from their own lock files. They
 * stay for the next bench, which removes those that it does not need.
 *
 * @returns their folders
 */
export async function checkOut(names: readonly string[]): Promise<string[]> {
  const commits = names.map((name) => commitOf(name))
  const git = (...args: string[]) => run('git', ['-C', root, ...args])
  const existing = existsSync(checkouts) ? await readdir(checkouts) : []
  for (const name of existing)
    if (!commits.includes(name)) await git('worktree', 'remove', '--force', join(checkouts, name))
  await git('worktree', 'prune')
  const folders = commits.map((commit) => join(checkouts, commit))
  for (const [index, folder] of folders.entries()) {
    if (!existsSync(folder)) await git('worktree', 'add', '--detach', folder, commits[index] ?? '')
    console.error(`checked out ${commits[index]}; installing what it needs to run …`)
    await run(process.execPath, [join(folder, 'tools', 'setup.mjs')], { cwd: folder })
  }
  return folders
}
