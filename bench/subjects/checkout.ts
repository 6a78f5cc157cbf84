import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../suite/machine.ts'

const run = promisify(execFile)

/**
 * Checks a commit out beside this tree and installs its packages from its own lock file. It stays
 * under `.cache` for the next bench.
 *
 * @returns its folder
 */
export async function checkOut(name: string): Promise<string> {
  const git = async (...args: string[]) => (await run('git', ['-C', root, ...args])).stdout.trim()
  const commit = await git('rev-parse', '--verify', `${name}^{commit}`)
  const folder = join(root, '.cache', 'bench', commit)
  if (!existsSync(folder)) {
    await git('worktree', 'prune')
    await git('worktree', 'add', '--detach', folder, commit)
  }
  console.error(`checked out ${commit.slice(0, 12)}; installing what it needs to run …`)
  await run(process.execPath, [join(folder, 'tools', 'setup.mjs')], { cwd: folder })
  return folder
}
