/**
 * Starts the service once while the image is built, so that Node stores its compiled code beside the
 * packages: `node deploy/fill-compile-cache.mjs`. A container with a read-only root file system could
 * not store it, and would compile everything at each start.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const deadlineMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'parley-'))
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const service = spawn(
  process.execPath,
  [fileURLToPath(new URL('../tools/start.mjs', import.meta.url))],
  {
    env: {
      // Nothing else of the caller's environment, which may name a database in use.
      PATH: process.env.PATH,
      DATA_DIR: folder,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
    },
    // The first start prints a key. It is of a database that is deleted, but build logs are kept.
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
try {
  await untilReady()
  // The program of SQLite's reader processes, which ends at once without its parent.
  const reader = new URL('../server/src/platform/db/sqlite/reader-process-main.ts', import.meta.url)
  const cache = fileURLToPath(new URL('../node_modules/.cache/parley', import.meta.url))
  const flags = ['--max-semi-space-size=1', '--no-maglev', fileURLToPath(reader)]
  await once(
    spawn(process.execPath, flags, { env: { NODE_COMPILE_CACHE: cache }, stdio: 'ignore' }),
    'exit',
  )
  // Loads what is loaded only when it is needed: pages, MCP.
  for (const path of ['/', '/mcp', '/.well-known/oauth-authorization-server'])
    await (await fetch(origin + path)).arrayBuffer()
} finally {
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true })
}

async function untilReady() {
  for (const since = Date.now(); Date.now() - since < deadlineMs; await sleep(200)) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`)
    const isReady = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
  throw new Error(`the service was not ready after ${deadlineMs / 1000} s`)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
