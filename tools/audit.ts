import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { advisoriesOf, licenceProblems, whyUnanswered } from './audit-rules.ts'

/**
 * `npm run audit`: checks the licence of every package in the lock file, and asks the registry for
 * known advisories. Fails for a licence that is not on the list and for a known advisory. A registry
 * that does not answer is reported; it is no failure, because many networks have only a mirror.
 */

const root = join(import.meta.dirname, '..')

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.looseObject({
        link: z.boolean().optional(),
        dev: z.boolean().optional(),
        license: z.string().optional(),
        version: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))

const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
)
const problems = licenceProblems(installed)
console.log(`Licences: ${installed.length} packages, ${problems.length} not allowed.`)

const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8' })
const advisories = advisoriesOf(stdout)
if (advisories === null)
  console.log(
    `Advisories: not checked, because ${whyUnanswered(stdout)}. Run this again with a registry that offers them.`,
  )
else console.log(`Advisories: ${advisories.length} known.`)

for (const problem of [...problems, ...(advisories ?? [])]) console.error(`  ${problem}`)
if (problems.length > 0 || (advisories ?? []).length > 0) process.exitCode = 1
