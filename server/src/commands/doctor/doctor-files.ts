import type { Config } from '#config'
import { countListed, countMisplaced } from '#features/ingestion/index.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { createObjects } from '#platform/object-store/objects.ts'
import { ObjectStoreError } from '#platform/object-store/object-store.ts'
import { openStore } from '#platform/object-store/open-store.ts'
import { withDatabase } from '#commands/with-database.ts'
import { isMissing } from './doctor-database.ts'
import type { Finding } from './doctor-finding.ts'

const check = 'files'

/** Whether the store of `FILES_TO` answers, and what is still to be moved and deleted. */
export async function checkFiles(config: Config): Promise<readonly Finding[]> {
  const { filesTo } = config
  const left = await countLeft(config)
  if (filesTo === undefined) return withoutStore(config, left)
  try {
    const { store, prefix } = openStore(config, filesTo)
    await store.list(`${prefix}parley-doctor-`)
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error
    return [{ check, ok: false, note: error.message, fix: 'correct FILES_TO and the S3 settings' }]
  }
  const waiting = left.misplaced === 0 ? '' : `; the service still has to move ${left.misplaced}`
  const note = [`in ${filesTo}${waiting}`, ...deletionsOf(left)].join('; ')
  return [{ check, ok: true, note }]
}

/** Files and objects that an earlier `FILES_TO` has left. */
function withoutStore(config: Config, left: Left): Finding[] {
  const { misplaced, listed } = left
  const hasKey = config.s3AccessKeyId !== undefined && config.s3SecretAccessKey !== undefined
  if (misplaced > 0) {
    const note = `${misplaced} are in a store of objects, and FILES_TO is not set`
    const fix = 'start the service with the S3 settings, which moves them to the database'
    return [{ check, ok: false, note: [note, ...deletionsOf(left)].join('; '), fix }]
  }
  if (listed === null) return []
  const fix = 'keep the S3 settings until they are deleted, or delete the objects yourself'
  return [{ check, ok: hasKey, note: deletionsOf(left).join(), fix }]
}

function deletionsOf({ listed }: Left): string[] {
  if (listed === null) return []
  const { count, lastDue } = listed
  const last = lastDue <= Date.now() ? '' : ` (the last one on ${new Date(lastDue).toISOString()})`
  return [`objects to be deleted: ${count}${last}`]
}

interface Left {
  readonly misplaced: number
  readonly listed: Awaited<ReturnType<typeof countListed>>
}

/** None also if the database cannot be read, which its own check reports. */
async function countLeft(config: Config): Promise<Left> {
  const none = { misplaced: 0, listed: null }
  if (isMissing(config)) return none
  try {
    const { current, newest } = await schemaStatus(config)
    if (current !== newest) return none
    const { place } = createObjects(config)
    return await withDatabase(config, async ({ read }) => ({
      misplaced: await countMisplaced(read, place),
      listed: await countListed(read),
    }))
  } catch {
    return none
  }
}
