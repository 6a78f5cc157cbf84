import { ConfigError, readConfig, type Config } from '#config'
import { textOption, UsageError, type Command, type Terminal } from '#commands/command.ts'
import { checkAgents } from './doctor-agents.ts'
import { checkBackups } from './doctor-backups.ts'
import { checkDatabase, checkSecretKey } from './doctor-database.ts'
import { checkDataDir, checkDisk } from './doctor-disk.ts'
import { checkEmbeddings } from './doctor-embeddings.ts'
import { checkFiles } from './doctor-files.ts'
import type { Finding } from './doctor-finding.ts'
import { checkDefaultModel, checkProviders } from './doctor-models.ts'
import { checkServing } from './doctor-serving.ts'

export const doctor: Command = {
  usage: 'doctor [--serving [--seconds N]]',
  help: `
Checks configuration, data folder, disk, database, schema, secret key, backups, agents and model
providers. It changes nothing. Each failed check includes a fix; the exit code is then 1.

  --serving      Explain instead what is slow in the running service, from its metrics
                 (METRICS_PORT or METRICS_TOKEN)
  --seconds N    How long to watch it: 5 by default`,
  options: { serving: { type: 'boolean' }, seconds: { type: 'string' } },
  maxPositionals: 0,
  async run(terminal, { options }) {
    const seconds = Number(textOption(options, 'seconds') ?? '5')
    if (!(seconds > 0 && seconds <= 3600)) throw new UsageError('--seconds is 1 to 3600')
    const config = readOrReport(terminal)
    if (config === null) return 1
    const isServing = options.serving === true
    const used = isServing ? [(of: Config) => checkServing(of, seconds)] : checks
    let failed = false
    for (const check of used)
      for (const finding of await check(config)) {
        terminal.stdout.write(describeFinding(finding))
        failed ||= !finding.ok
      }
    return failed ? 1 : 0
  },
}

/** Every finding about what the service needs. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await check(config)))
  return findings
}

const checks: readonly ((config: Config) => Promise<readonly Finding[]>)[] = [
  async () => [{ check: 'configuration', ok: true, note: 'every variable is valid' }],
  checkDataDir,
  checkDisk,
  checkDatabase,
  checkSecretKey,
  checkBackups,
  checkFiles,
  async (config) => checkDefaultModel(config),
  checkEmbeddings,
  checkAgents,
  checkProviders,
]

/** Without a configuration there is nothing else to check. */
function readOrReport(terminal: Terminal): Config | null {
  try {
    return readConfig(terminal.environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const note of error.problems)
      terminal.stdout.write(
        describeFinding({ check: 'configuration', ok: false, note, fix: 'correct or unset it' }),
      )
    return null
  }
}

export function describeFinding(finding: Finding): string {
  const verdict = finding.ok ? 'ok    ' : 'failed'
  const line = `${verdict}  ${finding.check.padEnd(14)} ${finding.note}\n`
  return finding.ok ? line : `${line}        ${' '.repeat(14)} fix: ${finding.fix}\n`
}
