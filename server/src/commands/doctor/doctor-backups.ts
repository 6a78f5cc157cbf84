import type { Config } from '#config'
import { latestBackupProblem } from '#features/backups/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { begunAt, listBackups } from '#platform/backups/backup-folder.ts'
import { backupPlace } from '#platform/backups/backup-place.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { withDatabase } from '#commands/with-database.ts'
import { isMissing } from './doctor-database.ts'
import type { Finding } from './doctor-finding.ts'

const check = 'backups'

/** Whether the service creates the backups that `BACKUP_EVERY` demands. */
export async function checkBackups(config: Config): Promise<readonly Finding[]> {
  const { backupEvery: everyMs } = config
  if (everyMs === undefined) return []
  try {
    const place = backupPlace(config)
    const names = await listBackups(place)
    const newest = names.at(-1)
    const note =
      newest === undefined
        ? `none in ${place.name} yet`
        : `${names.length} in ${place.name}, the newest ${hoursSince(begunAt(newest))} hours old`
    const problem = await problemOf(config)
    const isLate = newest !== undefined && begunAt(newest) + 2 * everyMs < Date.now()
    if (problem === null && !isLate) return [{ check, ok: true, note }]
    const reason = problem === null ? 'the service has not created the next one' : problem
    const fix = `run \`parley backup\`, which shows the error, and check that the service runs`
    return [{ check, ok: false, note: `${note}; ${reason}`, fix }]
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return [
      { check, ok: false, note, fix: 'let this user read it, or set BACKUP_DIR or BACKUP_TO' },
    ]
  }
}

function hoursSince(time: number): string {
  return ((Date.now() - time) / hourMs).toFixed(1)
}

/** Null also if the database cannot be read, which its own check reports. */
async function problemOf(config: Config): Promise<string | null> {
  if (isMissing(config)) return null
  try {
    if ((await schemaStatus(config)).current === 0) return null
    const problem = await withDatabase(config, (db) => latestBackupProblem(db.read))
    return problem === null ? null : `the latest attempt failed: ${problem}`
  } catch {
    return null
  }
}
