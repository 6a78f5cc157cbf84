import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { z } from 'zod'
import type { Attack, TestSet } from '../server/test/security/attack.ts'
import { attackGroups } from '../server/test/security/attacks.ts'
import { missingEngines } from '../server/test/security/both-engines.ts'

/**
 * `npm run test:security`: runs the tests of every attack and writes `docs/security-tests.md`. With
 * the paths of reports of vitest (`--reporter=json`), it runs nothing and reads those reports.
 */

const root = join(import.meta.dirname, '..')
const server = join(root, 'server')
const page = join(root, 'docs/security-tests.md')

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          meta: z.object({ tries: z.number().optional() }).optional(),
        }),
      ),
    }),
  ),
})

interface Run {
  readonly file: string
  readonly title: string
  readonly passed: boolean
  readonly tries: number
}

const fileOf = (set: TestSet) => (typeof set === 'string' ? set : set.file)
const attacks = attackGroups.flatMap((group) => group.attacks)
const files = [...new Set(attacks.flatMap(({ tests }) => tests.map(fileOf)))]

const runs = readRuns(process.argv.slice(2))
const missing = missingEngines(runs)
const counted = attacks.map((attack) => ({ attack: attack.attack, ...count(attack) }))
writeFileSync(page, pageText())
for (const { attack, tries, throughs } of counted)
  if (tries === 0 || throughs > 0)
    console.error(`${attack}: ${tries} tries, ${throughs} got through`)
for (const { file, title, passed } of runs) if (!passed) console.error(`failed: ${file}: ${title}`)
for (const one of missing) console.error(one)
if (missing.length > 0 || counted.some(({ tries, throughs }) => tries === 0 || throughs > 0))
  process.exitCode = 1

function readRuns(reports: readonly string[]): readonly Run[] {
  if (reports.length > 0) return newest(reports.map((path) => runsIn(readFileSync(path, 'utf8'))))
  const folder = mkdtempSync(join(tmpdir(), 'parley-security-'))
  try {
    const isLoad = (file: string) => file.endsWith('.load.test.ts')
    return [...run(folder, 'test', (file) => !isLoad(file)), ...run(folder, 'load', isLoad)]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the files of one tier, which is a mode of vitest. */
function run(folder: string, tier: string, isOf: (file: string) => boolean): readonly Run[] {
  const output = join(folder, `${tier}.json`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = ['run', '--mode', tier, '--reporter=json', `--outputFile=${output}`]
  spawnSync(process.execPath, [vitest, ...args, ...files.filter(isOf)], {
    cwd: root,
    stdio: 'inherit',
  })
  return runsIn(readFileSync(output, 'utf8'))
}

/** Of the reports that ran a file, the last one counts. */
function newest(reports: readonly (readonly Run[])[]): readonly Run[] {
  return reports.flatMap((runs, n) =>
    runs.filter(
      ({ file }) =>
        !reports
          .slice(n + 1)
          .flat()
          .some((later) => later.file === file),
    ),
  )
}

/** If the set-up of a suite fails, its tests are skipped: they count as failed. */
function runsIn(text: string): readonly Run[] {
  const { testResults } = report.parse(JSON.parse(text))
  return testResults.flatMap(({ name, status: whole, assertionResults }) =>
    assertionResults
      .filter(({ status }) => whole === 'failed' || status === 'passed')
      .map(({ fullName, status, meta }) => ({
        file: relative(server, name),
        title: fullName,
        passed: status === 'passed',
        tries: meta?.tries ?? 1,
      })),
  )
}

function count({ tests }: Attack): { readonly tries: number; readonly throughs: number } {
  const own = runs.filter(({ file, title }) =>
    tests.some(
      (set) =>
        fileOf(set) === file &&
        (typeof set === 'string' || set.titles.some((part) => title.includes(part))),
    ),
  )
  const tries = own.reduce((sum, run) => sum + run.tries, 0)
  return { tries, throughs: own.filter(({ passed }) => !passed).length }
}

function pageText(): string {
  const tables = attackGroups.map((group) => {
    const rows = counted
      .filter(({ attack }) => group.attacks.some((one) => one.attack === attack))
      .map(({ attack, tries, throughs }) => `| ${attack} | ${tries} | ${throughs} |`)
    return [
      `## ${group.title}`,
      '',
      '| Attack | Tries | Got through |',
      '|---|---|---|',
      ...rows,
    ].join('\n')
  })
  const introduction = [
    '# Security tests',
    '',
    '`npm run test:security` runs these tests on SQLite and PostgreSQL and writes this page. A try is',
    'one test on one engine, one generated request, or one search for a planted secret. The',
    '[threat model](threat-model.md) describes what prevents each attack, and names its tests.',
    '',
    'Generated requests are few in a usual run. `FUZZ_RUNS=500 npm test -- server/test/security/fuzz.test.ts`',
    'makes a long one; a failure prints the seed, which `FUZZ_SEED` repeats.',
    '',
    `This page was written at commit ${commit()}.`,
  ].join('\n')
  return `${introduction}\n\n${tables.join('\n\n')}\n`
}

/** Of the tree that was tested. */
function commit(): string {
  const git = (...given: string[]) =>
    spawnSync('git', given, { cwd: root, encoding: 'utf8' }).stdout
  const hasChanges = git('status', '--porcelain', '--untracked-files=no').trim() !== ''
  return `${git('rev-parse', '--short=8', 'HEAD').trim()}${hasChanges ? ', with changes' : ''}`
}
