/**
 * Installs the packages when the lock file asks for others than those that are there.
 *
 * npm runs it before `start`, `test` and `parley`, perhaps on a Node that is too old for Parley
 * itself: the pinned Node is one of the packages. So this is plain JavaScript for Node 20 and
 * later, imports nothing that is not built in, and speaks on stderr only: stdout belongs to the
 * command that follows.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takeLock } from './lock.mjs'

const minNodeMajor = 24
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const marker = join(modules, '.parley-setup')
const lock = join(root, '.cache', 'setup.lock')
const pinnedNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8')
const wanted = createHash('sha256')
  .update(`${process.platform} ${process.arch} ${lockFile}`)
  .digest('hex')

if (!isSetUp()) await setUp()

function isSetUp() {
  return readOrEmpty(marker) === wanted
}

async function setUp() {
  await takeLock(lock)
  try {
    if (isSetUp()) return
    if (!isInstalled()) await install()
    requireNode()
    mkdirSync(modules, { recursive: true })
    writeFileSync(marker, wanted)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  } finally {
    rmSync(lock, { force: true })
  }
}

async function install() {
  say('installing packages (once, and again when the lock file changes) …')
  const began = Date.now()
  // Not `npm ci`: it deletes node_modules first, under the feet of a service that is running.
  const { code, output } = await npm('install', '--no-save', '--loglevel=error')
  if (code !== 0) throw new Error(`installing packages failed: ${reasonIn(output)}`)
  say(`packages installed in ${((Date.now() - began) / 1000).toFixed(1)} s`)
}

/** Someone installed by hand: what npm noted in node_modules is what the lock file asks for. */
function isInstalled() {
  const noted = readOrEmpty(join(modules, '.package-lock.json'))
  if (noted === '') return false
  const present = JSON.parse(noted).packages ?? {}
  return Object.entries(JSON.parse(lockFile).packages).every(([path, wants]) => {
    if (!path.startsWith('node_modules/') || wants.link) return true
    const found = present[path]
    return found === undefined ? isForOthers(wants) : found.version === wants.version
  })
}

/** Built for another platform, or part of what is; any other package must be there. */
function isForOthers({ optional, os, cpu, libc }) {
  if (optional !== true) return false
  const isForThis = names(os, process.platform) && names(cpu, process.arch)
  return !isForThis || libc !== undefined || (os === undefined && cpu === undefined)
}

/** npm writes one name or several; none means any. */
function names(allowed, own) {
  return allowed === undefined || [allowed].flat().includes(own)
}

/** Runs npm under the Node that npm itself was started with: the pinned one may be replaced. */
function npm(...args) {
  const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env
  const [command, first] = npmScript ? [npmNode ?? process.execPath, [npmScript]] : ['npm', []]
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Only Windows needs a shell to find npm.cmd.
      shell: npmScript === undefined && process.platform === 'win32',
    })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => reject(new Error(`npm cannot be run: ${error.message}`)))
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** The line of npm's complaint that says most; npm prefixes each with `npm error`. */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm error\s*/, '').trim())
    .filter((line) => line !== '' && !/^(code|errno|syscall|A complete log)\b/.test(line))
  return lines[0] ?? 'npm gave no reason; run `npm install` to see'
}

/** npm scripts put node_modules/.bin first: the pinned Node must run here, or step aside. */
function requireNode() {
  if (existsSync(pinnedNode)) {
    const run = spawnSync(pinnedNode, ['--version'], { shell: process.platform === 'win32' })
    if (run.status === 0) return
    // Made for another C library (Alpine's, say): leave the way free for the machine's own.
    rmSync(pinnedNode, { force: true })
  }
  const own = process.execPath.startsWith(modules + sep) ? undefined : process.versions.node
  if (own !== undefined && Number.parseInt(own, 10) >= minNodeMajor) return
  throw new Error(
    `no Node for ${process.platform}-${process.arch} came with the packages, and this machine's is ` +
      `${own ?? 'unknown'}: install Node ${minNodeMajor} or newer, then repeat the command`,
  )
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
