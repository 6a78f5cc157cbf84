/**
 * Builds the dashboard into `dashboard/dist`: `node tools/build-dashboard.mjs`.
 *
 *   --if-changed   only if the sources have changed since the last build
 *   --or-without   if the build fails, prints one line and exits with 0: the service also serves
 *                  API clients, and shows people the previous build or how to build one
 *
 * npm runs it before `start`, possibly on a Node that is too old for the bundler. Like setup.mjs it
 * is plain JavaScript, imports built-in modules only and writes to stderr only. It runs the bundler
 * on the pinned Node. A build replaces the previous one only when it is complete.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { takeLock } from './lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dashboard', 'dist')
const lock = join(root, '.cache', 'dashboard.lock')
const marker = join(root, '.cache', 'dashboard-build')
const work = join(root, '.cache', `dashboard-${process.pid}`)
const options = new Set(process.argv.slice(2))
const compressible = new Set(['.js', '.css', '.svg', '.html', '.json'])

const wanted = hashOfSources()
if (!options.has('--if-changed') || !isBuilt()) await buildAlone()

function isBuilt() {
  return existsSync(join(folder, 'index.html')) && readOrEmpty(marker) === wanted
}

async function buildAlone() {
  await takeLock(lock)
  try {
    // Another process may have built it in the meantime.
    if (!options.has('--if-changed') || !isBuilt()) await build()
  } finally {
    rmSync(lock, { force: true })
  }
}

async function build() {
  say('building the dashboard (once, and again when its sources change) …')
  const began = Date.now()
  try {
    mkdirSync(work, { recursive: true })
    await runBundler()
    await compressAll(work)
    replaceBuild()
    say(`dashboard built in ${((Date.now() - began) / 1000).toFixed(1)} s`)
  } catch (error) {
    const rest = options.has('--or-without') ? '; the service starts without it' : ''
    say(`the dashboard was not built: ${error.message}${rest}`)
    if (!options.has('--or-without')) process.exitCode = 1
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A build depends on its sources, the packages and this file. */
function hashOfSources() {
  const hash = createHash('sha256')
  const files = [
    join(root, 'package-lock.json'),
    fileURLToPath(import.meta.url),
    ...filesIn(join(root, 'dashboard')).filter((path) => !path.startsWith(folder)),
  ]
  for (const path of files.sort()) {
    hash.update(`${relative(root, path)}\0`)
    hash.update(readFileSync(path))
    hash.update('\0')
  }
  return hash.digest('hex')
}

function filesIn(parent) {
  return readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    const path = join(parent, entry.name)
    if (entry.name === 'node_modules' || path === folder) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

function runBundler() {
  const pinned = join(root, 'node_modules', '.bin', 'node')
  const node = process.platform !== 'win32' && existsSync(pinned) ? pinned : process.execPath
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  return new Promise((resolve, reject) => {
    const child = spawn(node, [vite, 'build', '--logLevel', 'warn'], {
      cwd: join(root, 'dashboard'),
      env: { ...process.env, NODE_ENV: 'production', DASHBOARD_BUILD: work },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(reasonIn(output)))
    })
  })
}

/** The most useful line: the bundler's headings say only that there is an error. */
function reasonIn(output) {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:✗ |error during build|build failed)/i.test(line))
  const reason = lines.find((line) => /^\[[\w:-]+\]|error/i.test(line))
  return reason ?? lines[0] ?? 'run `npm run build:dashboard` to see why'
}

/** Compresses once here, so that no response waits for it. */
async function compressAll(parent) {
  const paths = filesIn(parent).filter((path) => compressible.has(extname(path)))
  await Promise.all(
    paths.map(async (path) => {
      const content = readFileSync(path)
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, { params }))
      writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
    }),
  )
}

/** An open page of the previous build that misses its parts reloads itself. */
function replaceBuild() {
  const before = join(root, '.cache', 'dashboard-before')
  rmSync(before, { recursive: true, force: true })
  if (existsSync(folder)) renameSync(folder, before)
  renameSync(work, folder)
  rmSync(before, { recursive: true, force: true })
  writeFileSync(marker, wanted)
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function say(line) {
  process.stderr.write(`parley: ${line}\n`)
}
