import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { comparedWithKnown, lossyFaults } from '../server/test/faults/known-faults.ts'

/**
 * `npm run reliability`: runs the tests of faults and writes `docs/reliability.md` from what they
 * record. With the paths of recorded results (`FAULTS_RESULTS`), it runs nothing and reads those. It
 * writes no page without all known faults: a test that was skipped must not pass for one that ran.
 */

const root = join(import.meta.dirname, '..')

const result = z.object({
  fault: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  tries: z.number(),
  lost: z.number(),
  failed: z.number(),
  healthyAfterMs: z.number(),
  rounds: z.number().nullable(),
})
type Result = z.infer<typeof result>

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const introduction = [
  '# Reliability',
  '',
  '`npm run reliability` runs the tests of faults and writes this page. Each test causes a real fault',
  'while a service answers: it kills processes, stops servers, fills disks. The services run as',
  '`npm start` runs them, on SQLite and PostgreSQL with durability on.',
  '',
  '- **Tries** are the turns, requests or operations of the run.',
  '- **Lost** are those that were acknowledged and are not stored, not complete or not readable afterwards.',
  '  Only a replica loses some: it is a moment late ([Backup](backup.md#continuous-replication-of-sqlite)).',
  '- **Failed** are tries that ended with an error, most of them 503, or with a broken connection. Their',
  '  callers can retry.',
  '- **Healthy after** is the time from the end of the fault, or from the restart of a process that was',
  '  killed, to the next success: the longest of all rounds, on a machine with two cores that did other',
  '  work as well. It is 0 where requests were answered throughout.',
].join('\n')

const header = [
  '| Fault | Engine | Tries | Lost | Failed | Healthy after |',
  '|---|---|---|---|---|---|',
]

const given = process.argv.slice(2)
const lines = (given.length > 0 ? given.map(readText) : [runTests()]).join('').trim().split('\n')
const all = lines.map((line) => result.parse(JSON.parse(line)))
const results = merged(all)
refuseHalf(results)
writeFileSync(join(root, 'docs/reliability.md'), pageText(results, roundsOf(all)))
for (const { fault, engine, lost } of results)
  if (lost > 0 && !lossyFaults.has(fault)) {
    console.error(`${fault} [${engine}]: ${lost} lost`)
    process.exitCode = 1
  }

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

/** A failed test records nothing, so a page is written only of a run without one. */
function runTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-faults-'))
  try {
    const FAULTS_RESULTS = join(folder, 'results')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const env = { ...process.env, FAULTS_RESULTS }
    const args = [vitest, 'run', '--mode', 'faults']
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    if (status !== 0 || !existsSync(FAULTS_RESULTS)) process.exit(status ?? 1)
    return readText(FAULTS_RESULTS)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function refuseHalf(of: readonly Result[]): void {
  const { missing, unknown } = comparedWithKnown(of)
  if (missing.length + unknown.length === 0) return
  for (const name of missing) console.error(`not caused in this run: ${name}`)
  for (const name of unknown) console.error(`not in known-faults.ts: ${name}`)
  console.error('docs/reliability.md was not written')
  process.exit(1)
}

function roundsOf(of: readonly Result[]): string {
  const rounds = [...new Set(of.map((one) => one.rounds ?? 'the default'))]
  return `Rounds of the tests that repeat a kill (\`FAULT_ROUNDS\`): ${rounds.join(', ')}.`
}

/** One result for each fault and engine, of all tests and runs. */
function merged(all: readonly Result[]): readonly Result[] {
  const groups = Map.groupBy(all, ({ fault, engine }) => `${fault} ${engine}`)
  return [...groups.values()]
    .map((same) =>
      same.reduce((one, other) => ({
        ...one,
        tries: one.tries + other.tries,
        lost: one.lost + other.lost,
        failed: one.failed + other.failed,
        healthyAfterMs: Math.max(one.healthyAfterMs, other.healthyAfterMs),
      })),
    )
    .toSorted(
      (one, other) =>
        one.fault.localeCompare(other.fault) || one.engine.localeCompare(other.engine),
    )
}

function pageText(of: readonly Result[], rounds: string): string {
  const rows = of.map(({ fault, engine, tries, lost, failed, healthyAfterMs }) => {
    const seconds = (healthyAfterMs / 1000).toFixed(1)
    return `| ${fault} | ${engines[engine]} | ${tries} | ${lost} | ${failed} | ${seconds} s |`
  })
  return `${introduction}\n\n${rounds}\n\n${[...header, ...rows].join('\n')}\n`
}
