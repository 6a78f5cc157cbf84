/**
 * Runs Parley for development: `npm run dev`.
 *
 * The service restarts when a file of `server/src` or `server/migrations` changes. Vite serves the
 * dashboard's sources with hot reload and passes every other request to the service. Vite is at the
 * address that `npm start` uses, so links, sign-in and clients work as they do there. The service
 * itself is at the next port.
 *
 * Arguments are passed to the service's Node: `npm run dev -- --inspect` opens the debugger's port.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const port = Number(process.env.PORT || 3000)
const servicePort = port + 1

const service = run(
  [
    '--watch',
    '--watch-preserve-output',
    `--watch-path=${join(root, 'server', 'src')}`,
    `--watch-path=${join(root, 'server', 'migrations')}`,
    ...process.argv.slice(2),
    join(root, 'server', 'src', 'main.ts'),
    'start',
  ],
  {
    PORT: String(servicePort),
    BASE_URL: process.env.BASE_URL || `http://localhost:${port}`,
    // A restart does not wait for a running answer.
    SHUTDOWN_GRACE_SECONDS: process.env.SHUTDOWN_GRACE_SECONDS || '1',
  },
)
const dashboard = run(
  [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), join(root, 'dashboard')].concat(
    ['--host', '127.0.0.1', '--port', String(port), '--strictPort'],
    ['--clearScreen', 'false', '--logLevel', 'warn'],
  ),
  { SERVICE_URL: `http://127.0.0.1:${servicePort}` },
)

// Ctrl-C reaches the children as well; a second signal changes nothing.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)

function run(args, environment) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  // Neither ends unless it failed or was stopped; one without the other is of no use.
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0
    stop()
  })
  return child
}

function stop() {
  for (const child of [service, dashboard])
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
}
