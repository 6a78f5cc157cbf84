import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparedWithKnown, lossyFaults } from '../server/test/faults/known-faults.ts'
import { measurement, merged, pageText, type Measurement } from './reliability-page.ts'

/**
 * `npm run reliability`: runs the tests of faults, one file after the other, and writes
 * `docs/reliability.md` from what they record. What a file recorded is kept in `.cache/reliability` when
 * all its tests have passed, so a run that ends early loses only the file that it was at:
 *
 * - `-- --continue` runs the files that have recorded nothing yet. Two runs may share the files by words.
 * - `-- kill upgrade` runs the files with one of these words in their names, and replaces their results.
 *
 * It writes no page without all known faults: a test that was skipped must not pass for one that ran.
 */

const root = join(import.meta.dirname, '..')
const tests = join(root, 'server/test/faults')
const results = join(root, '.cache/reliability')
const suffix = '.faults.test.ts'
const upgradeMinutes = process.env.UPGRADE_MINUTES ?? '10'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { continue: { type: 'boolean', default: false } },
})
const names = readdirSync(tests)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length))
const chosen = names.filter(
  (name) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
)

mkdirSync(results, { recursive: true })
if (!values.continue) for (const name of chosen) rmSync(resultFile(name), { force: true })
// Another run may have done it meanwhile.
for (const name of chosen) if (!existsSync(resultFile(name))) runFile(name)
writePage(names.flatMap(readResults))

function resultFile(name: string): string {
  return join(results, `${name}.jsonl`)
}

function readResults(name: string): readonly Measurement[] {
  if (!existsSync(resultFile(name))) return []
  return linesOf(resultFile(name)).map((line) => measurement.parse(JSON.parse(line)))
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

/** A failed test records nothing, so a file counts only if all its tests have passed. */
function runFile(name: string): void {
  const recorded = `${resultFile(name)}.unfinished`
  rmSync(recorded, { force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  // The slash: `kill` is not `action-kill`.
  const args = [vitest, 'run', '--mode', 'faults', `faults/${name}${suffix}`]
  const env = { ...process.env, FAULTS_RESULTS: recorded, UPGRADE_MINUTES: upgradeMinutes }
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  if (status !== 0 || !existsSync(recorded)) {
    console.error(`${name} has failed, or recorded nothing`)
    process.exitCode = 1
    return
  }
  const measured = {
    upgradeMinutes: Number(upgradeMinutes),
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  }
  const lines = linesOf(recorded).map((line) => {
    const one = measurement.parse({ ...JSON.parse(line), ...measured })
    return `${JSON.stringify(one)}\n`
  })
  writeFileSync(resultFile(name), lines.join(''))
  rmSync(recorded)
}

/** The last commit that changed the service: tests change more often. */
function commit(): string {
  const service = ['server/src', 'server/migrations', 'package-lock.json']
  const args = ['-C', root, 'log', '-1', '--format=%h', '--abbrev=8', '--', ...service]
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

function writePage(all: readonly Measurement[]): void {
  const { missing, unknown } = comparedWithKnown(all)
  for (const name of missing) console.error(`not caused: ${name}`)
  for (const name of unknown) console.error(`not in known-faults.ts: ${name}`)
  if (missing.length + unknown.length > 0) {
    console.error('docs/reliability.md was not written')
    process.exitCode = 1
    return
  }
  writeFileSync(join(root, 'docs/reliability.md'), pageText(all))
  for (const { fault, engine, lost } of merged(all))
    if (lost > 0 && !lossyFaults.has(fault)) {
      console.error(`${fault} [${engine}]: ${lost} lost`)
      process.exitCode = 1
    }
}
