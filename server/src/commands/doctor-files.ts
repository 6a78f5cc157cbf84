import type { Config } from '#config'
import { countMisplaced } from '#features/ingestion/index.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { createObjects } from '#platform/object-store/objects.ts'
import { ObjectStoreError } from '#platform/object-store/object-store.ts'
import { openStore } from '#platform/object-store/open-store.ts'
import { isMissing, withDatabase } from './doctor-database.ts'
import type { Finding } from './doctor-finding.ts'

const check = 'files'

/** Whether the store of `FILES_TO` answers, and how many files are still to be moved to it. */
export async function checkFiles(config: Config): Promise<readonly Finding[]> {
  const { filesTo } = config
  const left = await countLeft(config)
  if (filesTo === undefined) return left === 0 ? [] : [leftInStore(left)]
  try {
    const { store, prefix } = openStore(config, filesTo)
    await store.list(`${prefix}parley-doctor-`)
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error
    return [{ check, ok: false, note: error.message, fix: 'correct FILES_TO and the S3 settings' }]
  }
  const waiting = left === 0 ? '' : `; the service still has to move ${left}`
  return [{ check, ok: true, note: `in ${filesTo}${waiting}` }]
}

function leftInStore(count: number): Finding {
  const note = `${count} are in a store of objects, and FILES_TO is not set`
  const fix = 'start the service with the S3 settings, which moves them to the database'
  return { check, ok: false, note, fix }
}

/** None also if the database cannot be read, which its own check reports. */
async function countLeft(config: Config): Promise<number> {
  if (isMissing(config)) return 0
  try {
    const { current, newest } = await schemaStatus(config)
    if (current !== newest) return 0
    const { place } = createObjects(config)
    return await withDatabase(config, (db) => countMisplaced(db.read, place))
  } catch {
    return 0
  }
}
