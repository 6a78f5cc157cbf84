import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig, type Config } from '#config'
import { openInstance, type Instance } from '#compose'
import { sqliteFile } from '#platform/db/open-database.ts'
import type { Terminal } from './command.ts'
import { initialise } from './serving/initialise.ts'
import { explainFailures, explainDatabaseFaults } from './explain-failure.ts'
import { quietLog } from './quiet-log.ts'

/**
 * Runs `work` on the instance that the environment describes, then closes it. An empty database is
 * initialised first. A warning is printed if this creates one in the default folder, because the
 * service may use another.
 */
export async function withInstance<T>(
  { environment, stderr }: Terminal,
  work: (instance: Instance) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment)
  if (createsInDefaultFolder(environment, config))
    stderr.write(
      `parley: there is no database in ${resolve(config.dataDir)}, so one is created; if the service uses another, set DATA_DIR to it\n`,
    )
  const instance = await explainFailures(config, () => openInstance(config, quietLog(config)))
  try {
    await explainFailures(config, () => initialise(instance.ctx, { printsLink: false }))
    return await explainDatabaseFaults(config, () => work(instance))
  } finally {
    await instance.close()
  }
}

function createsInDefaultFolder(environment: Terminal['environment'], config: Config): boolean {
  const isNamed = config.databaseUrl !== undefined || Boolean(environment.DATA_DIR)
  return !isNamed && !existsSync(sqliteFile(config))
}
