import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** What a result depends on besides the code. It names neither the machine nor its folders. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly platform: string
  readonly node: string
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
  }
}

export interface Tree {
  readonly commit: string
  /** Whether files were changed since that commit. */
  readonly changed: boolean
}

/** The commit that a name such as `main` means. */
export function commitOf(name: string, folder = root): string {
  return git(folder, 'rev-parse', '--short=12', '--verify', `${name}^{commit}`)
}

export function describeTree(folder = root): Tree {
  // The results of the last run are themselves files of the tree.
  const changes = git(folder, 'status', '--porcelain', '--', '.', ':!bench/results')
  return { commit: commitOf('HEAD', folder), changed: changes !== '' }
}

/** The exact versions of the servers that Parley is compared with. */
export function peerVersions(): Readonly<Record<string, string>> {
  const manifest = readFileSync(join(root, 'bench', 'peers', 'package.json'), 'utf8')
  // Our own file, whose dependencies are names with versions.
  return (JSON.parse(manifest) as { dependencies: Record<string, string> }).dependencies
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
}
