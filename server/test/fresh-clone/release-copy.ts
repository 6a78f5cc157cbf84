import { execFile } from 'node:child_process'
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const exec = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const copied = [
  'CHANGELOG.md',
  'contracts',
  'dashboard/package.json',
  'deploy/chart',
  'package.json',
  'package-lock.json',
  'server/migrations',
  'server/package.json',
  'tools/release.ts',
  'tools/release',
  'tools/write-sbom.ts',
]
export const toolsFile = 'contracts/mcp-tools.json'
const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']

/** A copy of what a release reads, in a repository of its own whose first commit is v0.1.0. */
export class ReleaseCopy {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<ReleaseCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-release-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const copy = new ReleaseCopy(folder)
    for (const path of copied)
      await cp(join(root, path), join(folder, path), { recursive: true, force: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await copy.git('init', '--quiet')
    await appendFile(join(folder, '.git/info/exclude'), 'node_modules\n')
    await copy.commit()
    await copy.git('tag', `v${await copy.version()}`)
    return copy
  }

  async version(): Promise<string> {
    const manifest: unknown = JSON.parse(await this.read('server/package.json'))
    return z.object({ version: z.string() }).parse(manifest).version
  }

  read(file: string): Promise<string> {
    return readFile(join(this.folder, file), 'utf8')
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text)
  }

  async git(...args: readonly string[]): Promise<string> {
    return (await exec('git', [...author, ...args], { cwd: this.folder })).stdout
  }

  async commit(): Promise<void> {
    await this.git('add', '--all')
    await this.git('commit', '--quiet', '--message', 'test: a state')
  }

  /** Changes the list of MCP tools. */
  async changeTools(change: (list: { name: string }[]) => unknown[]): Promise<void> {
    const list = z
      .object({ tools: z.array(z.looseObject({ name: z.string() })) })
      .parse(JSON.parse(await this.read(toolsFile)))
    await this.write(toolsFile, JSON.stringify({ tools: change(list.tools) }))
    await this.commit()
  }

  /** Runs a script of the release workflow. */
  async step(name: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
    await exec(join(this.folder, 'tools/release', name), args, {
      env: { ...process.env, ...environment },
    })
  }

  async release(...args: readonly string[]) {
    return await exec(process.execPath, [join(this.folder, 'tools/release.ts'), ...args]).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (failure: unknown) =>
        z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(failure),
    )
  }
}
