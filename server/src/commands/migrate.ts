import { readConfig } from '#config'
import { migrate, schemaStatus } from '#platform/db/open-database.ts'
import type { Command } from './command.ts'
import { explainFailures } from './explain-failure.ts'
import { quietLog } from './quiet-log.ts'

export const migrateCommand: Command = {
  usage: 'migrate [--status]',
  help: `
Migrates the database to the schema of this version. \`start\` does this too; run it separately to keep
a long migration out of the start. The embedded database is copied first.

  --status   Only show the status; the exit code is 1 if a migration is pending`,
  options: { status: { type: 'boolean' } },
  maxPositionals: 0,
  async run({ environment, stdout }, { options }) {
    const config = readConfig(environment)
    const before = await explainFailures(config, () => schemaStatus(config))
    if (options.status === true) {
      stdout.write(`${statusLine(before)}\n`)
      return before.pending.length === 0 ? 0 : 1
    }
    await explainFailures(config, () => migrate(config, quietLog(config)))
    const done = before.pending.map((migration) => `applied ${migration}\n`).join('')
    const after = await explainFailures(config, () => schemaStatus(config))
    stdout.write(`${done}${statusLine(after)}\n`)
    return 0
  },
}

function statusLine({ current, newest, pending }: Awaited<ReturnType<typeof schemaStatus>>) {
  return pending.length === 0
    ? `schema ${current}: nothing is pending`
    : `schema ${current} of ${newest}: pending ${pending.join(', ')}`
}
