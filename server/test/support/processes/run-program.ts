import { spawn } from 'node:child_process'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules')

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/**
 * Runs a program of a package with the Node that runs the tests.
 *
 * @param script its path below `node_modules`
 */
export function runProgram(
  script: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly environment?: Readonly<Record<string, string>>
    /** Called with each piece of stdout and stderr as it arrives. */
    readonly onOutput?: (piece: string) => void
  } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [join(modules, script), ...args], {
    cwd: options.cwd,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
    options.onOutput?.(piece)
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece
    options.onOutput?.(piece)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output, errors }))
  })
}
