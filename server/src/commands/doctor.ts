import { ConfigError, readConfig, type Config } from '#config'
import type { Command, Terminal } from './command.ts'
import { checkAgents } from './doctor-agents.ts'
import { checkBackups } from './doctor-backups.ts'
import { checkDatabase, checkSecretKey } from './doctor-database.ts'
import { checkDataDir, checkDisk } from './doctor-disk.ts'
import { checkEmbeddings } from './doctor-embeddings.ts'
import type { Finding } from './doctor-finding.ts'
import { checkDefaultModel, checkProviders } from './doctor-models.ts'

export const doctor: Command = {
  usage: 'doctor',
  help: `
Checks configuration, data folder, disk, database, schema, secret key, backups, agents and model
providers.
It changes nothing. Each failed check includes a fix; the exit code is then 1.`,
  options: {},
  maxPositionals: 0,
  async run(terminal) {
    const config = readOrReport(terminal)
    if (config === null) return 1
    let failed = false
    for (const check of checks)
      for (const finding of await check(config)) {
        report(terminal, finding)
        failed ||= !finding.ok
      }
    return failed ? 1 : 0
  },
}

const checks: readonly ((config: Config) => Promise<readonly Finding[]>)[] = [
  async () => [{ check: 'configuration', ok: true, note: 'every variable is valid' }],
  checkDataDir,
  checkDisk,
  checkDatabase,
  checkSecretKey,
  checkBackups,
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
      report(terminal, { check: 'configuration', ok: false, note, fix: 'correct or unset it' })
    return null
  }
}

function report({ stdout }: Terminal, finding: Finding): void {
  const verdict = finding.ok ? 'ok    ' : 'failed'
  stdout.write(`${verdict}  ${finding.check.padEnd(14)} ${finding.note}\n`)
  if (!finding.ok) stdout.write(`        ${' '.repeat(14)} fix: ${finding.fix}\n`)
}
