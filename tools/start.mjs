/**
 * Starts the service with the settings that keep its memory small: `npm start` runs this after
 * setup.mjs and build-dashboard.mjs. Arguments are passed to the `start` command. Decision 11 has
 * the measurements.
 *
 * Memory-related variables and V8 flags take effect only when a process starts, so they cannot be
 * set from within main.ts. This script therefore replaces itself with the service, which keeps one
 * process: signals and the exit code need no forwarding, and no second Node stays in memory.
 * `package.json` starts it with `exec` for the same reason. Windows has neither: there the shell
 * runs the second half of the line, and the service is a child process.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const flags = [
  // MiB. A larger young generation is collected less often: bench/README.md compares sizes.
  '--max-semi-space-size=32',
  // The service collects once when it has started, because loading the code leaves garbage.
  '--expose-gc',
  // Leaves out V8's middle compiler: under load its jobs took 20 MB that are never returned.
  '--no-maglev',
]

const environment = {
  ...process.env,
  // Keeps glibc from holding one heap per thread. Other C libraries ignore it.
  MALLOC_ARENA_MAX: '1',
  // Caches main.ts itself too, so that Node does not load its type stripper (9 MB). main.ts enables
  // the same cache, but only for the modules that it imports.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'parley'),
}

const main = join(root, 'server', 'src', 'main.ts')
const args = [...process.execArgv, ...flags, main, 'start', ...process.argv.slice(2)]

// Node before 23.11 has no execve, and Windows has no such system call.
if (process.execve === undefined || process.platform === 'win32') runAsChild()
else replaceThisProcess()

function replaceThisProcess() {
  process.execve(process.execPath, [process.execPath, ...args], environment)
}

function runAsChild() {
  const child = spawn(process.execPath, args, { env: environment, stdio: 'inherit' })
  // Ctrl-C reaches the child as well: this process waits until the service has stopped.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`parley: the service cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
