import { readConfig } from '#config'
import { migrate, schemaStatus } from '#platform/db/open-database.ts'
import { isBreaking, refuseLater, type SchemaStatus } from '#platform/db/plan-migrations.ts'
import type { Command } from './command.ts'
import { explainFailures } from './explain-failure.ts'
import { quietLog } from './quiet-log.ts'

export const migrateCommand: Command = {
  usage: 'migrate [--plan | --status]',
  help: `
Migrates the database to the schema of this version. \`start\` does this too; run it separately to keep
a long migration out of the start. The embedded database is copied first.

  --plan     Only show what would be applied, and whether the version before can run on it
  --status   Only show the status; the exit code is 1 if a migration is pending`,
  options: { plan: { type: 'boolean' }, status: { type: 'boolean' } },
  maxPositionals: 0,
  async run({ environment, stdout }, { options }) {
    const config = readConfig(environment)
    const before = await explainFailures(config, async () => {
      const status = await schemaStatus(config)
      refuseLater(status)
      return status
    })
    if (options.plan === true) {
      stdout.write(planOf(before, config.databaseUrl === undefined))
      return 0
    }
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

function planOf({ current, pending, ...status }: SchemaStatus, isSqlite: boolean): string {
  if (pending.length === 0) return `${statusLine({ current, pending, ...status })}\n`
  const lines = pending.map((name) => `would apply ${name}`)
  if (current === 0) return [...lines, 'the database is empty', ''].join('\n')
  const breaking = pending.filter(isBreaking)
  lines.push(
    breaking.length === 0
      ? 'the version before can run on the new schema: processes can be replaced one by one'
      : `the version before cannot run on the new schema (${breaking.join(', ')}): stop all processes first`,
  )
  if (isSqlite) lines.push('the database is copied in the data folder first')
  return [...lines, ''].join('\n')
}

function statusLine({ current, newest, pending }: SchemaStatus) {
  return pending.length === 0
    ? `schema ${current}: nothing is pending`
    : `schema ${current} of ${newest}: pending ${pending.join(', ')}`
}
