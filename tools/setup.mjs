/**
 * Installs the packages that a command needs, if the installed ones do not match the lock file.
 *
 *   node tools/setup.mjs             what running the service and building the dashboard need
 *   node tools/setup.mjs --develop   also what the tests, checks and benches need
 *
 * npm runs it before other scripts, possibly on a Node that is too old for Parley: the pinned Node
 * is one of the packages. It is therefore plain JavaScript for Node 20 and later, imports built-in
 * modules only, and writes to stderr only, because stdout belongs to the command that follows.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takeLock } from './lock.mjs'

const minNodeMajor = 26
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
/** Contains the profile that is installed and the hash of the lock file that it was installed from. */
const marker = join(modules, '.parley-setup')
/** What it contains from the beginning of an installation until its success. */
const unfinished = 'unfinished'
const lock = join(root, '.cache', 'setup.lock')
const pinnedNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

const asked = process.argv.includes('--develop') ? 'develop' : 'run'
const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8')
const hash = createHash('sha256')
  .update(`${process.platform} ${process.arch} ${lockFile}`)
  .digest('hex')
/** The packages that npm puts into node_modules; the workspaces are only links there. */
const locked = Object.entries(JSON.parse(lockFile).packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
)

if (!isSetUp()) await setUp()

/** The packages for development include those for running. */
function isSetUp() {
  const found = readOrEmpty(marker)
  return found === `${asked} ${hash}` || found === `develop ${hash}`
}

async function setUp() {
  await takeLock(lock)
  try {
    if (isSetUp()) return
    // `npm start` never removes the development packages of a checkout that has them.
    const profile = hasDevelopmentPackages() ? 'develop' : asked
    if (!isInstalled(profile)) await install(profile)
    requireNode()
    writeMarker(`${profile} ${hash}`)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  } finally {
    rmSync(lock, { force: true })
  }
}

async function install(profile) {
  const purpose = profile === 'develop' ? 'for running and testing' : 'for running'
  say(`installing the packages ${purpose} (once, and again when the lock file changes) …`)
  const began = Date.now()
  writeMarker(unfinished)
  // `npm ci` would delete node_modules first, and a running service still loads modules from it.
  // The option is always given, because NODE_ENV and npm's own settings can change its default.
  const dev = profile === 'develop' ? '--include=dev' : '--omit=dev'
  const { code, output } = await npm('install', '--no-save', dev, '--loglevel=error')
  if (code !== 0) throw new Error(`installing packages failed: ${reasonIn(output)}`)
  say(`packages installed in ${((Date.now() - began) / 1000).toFixed(1)} s`)
}

function hasDevelopmentPackages() {
  return locked.some(([path, { dev }]) => dev && versionOf(path) !== undefined)
}

/** True also after an installation by hand, of which npm leaves its own record when it is complete. */
function isInstalled(profile) {
  const isComplete = existsSync(join(modules, '.package-lock.json'))
  if (!isComplete || readOrEmpty(marker) === unfinished) return false
  return locked.every(([path, wants]) => {
    if (profile === 'run' && wants.dev) return true
    const version = versionOf(path)
    return version === undefined ? isForOthers(wants) : version === wants.version
  })
}

function versionOf(path) {
  const manifest = readOrEmpty(join(root, path, 'package.json'))
  return manifest === '' ? undefined : JSON.parse(manifest).version
}

/** True for an optional package that was built for another platform, or for a part of one. */
function isForOthers({ optional, os, cpu, libc }) {
  if (optional !== true) return false
  const isForThis = names(os, process.platform) && names(cpu, process.arch)
  return !isForThis || libc !== undefined || (os === undefined && cpu === undefined)
}

/** npm writes one name or a list; none means any. */
function names(allowed, own) {
  return allowed === undefined || [allowed].flat().includes(own)
}

/** Runs npm on the Node that npm itself was started with: the pinned one may be replaced. */
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

/** The most useful line of npm's errors; npm prefixes each with `npm error`. */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm error\s*/, '').trim())
    .filter((line) => line !== '' && !/^(code|errno|syscall|A complete log)\b/.test(line))
  return lines[0] ?? 'npm gave no reason; run `npm install` to see'
}

/** npm scripts find the pinned Node first: it must run on this machine, or be out of the way. */
function requireNode() {
  if (existsSync(pinnedNode)) {
    const run = spawnSync(pinnedNode, ['--version'], { shell: process.platform === 'win32' })
    if (run.status === 0) return
    const [, library] = /(\S+): cannot open shared object file/.exec(String(run.stderr)) ?? []
    if (library !== undefined)
      throw new Error(
        `the Node of the packages needs ${library}, which this machine does not have: install it ` +
          '(on Debian: apt-get install libatomic1), then repeat the command',
      )
    // Built for another C library, such as Alpine's: let scripts find the machine's own Node.
    rmSync(pinnedNode, { force: true })
  }
  const own = process.execPath.startsWith(modules + sep) ? undefined : process.versions.node
  if (own !== undefined && Number.parseInt(own, 10) >= minNodeMajor) return
  throw new Error(
    `no Node for ${process.platform}-${process.arch} came with the packages, and this machine's is ` +
      `${own ?? 'unknown'}: install Node ${minNodeMajor} or newer, then repeat the command`,
  )
}

function writeMarker(content) {
  mkdirSync(modules, { recursive: true })
  writeFileSync(marker, content)
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
