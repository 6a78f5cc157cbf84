import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** The checkout's root. */
export const root = join(import.meta.dirname, '../../..')

/** Compose 2, where Debian's package puts it. Older releases have version 1 below the same name. */
export const compose = '/usr/libexec/docker/cli-plugins/docker-compose'

/**
 * Explains in one line why tests that need these Debian programs are skipped, or returns null. If the
 * programs are required, their absence is an error.
 */
export function absenceOf(programs: readonly string[]): string | null {
  const missing = programs.filter((program) => !isInstalled(program))
  const isRoot = process.getuid?.() === 0
  if (missing.length === 0 && isRoot) return null
  const absence = isRoot
    ? `these programs are missing: ${missing.join(', ')}`
    : 'they need root, because they create file systems'
  if (process.env.REQUIRE_DEPLOY_TOOLS === '1') throw new Error(absence)
  process.stderr.write(`Skipping tests of deploy/: ${absence}\n`)
  return absence
}

function isInstalled(program: string): boolean {
  if (isAbsolute(program)) return existsSync(program)
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, program)))
}

/** @returns stdout. @throws with stderr if the program fails */
export async function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await exec(program, [...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}
