import { sql } from 'kysely'
import { Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { isFailedDisk } from './postgres-errors.ts'

/** Notices that the server's disk is full or fails, and when it accepts writes again. */
export class PostgresDisk {
  #isFailed = false

  /** @param written a write, whose failure is noted */
  watch<T>(written: Promise<T>): Promise<T> {
    written.catch((error: unknown) => {
      if (error instanceof Fault && isFailedDisk(error.cause)) this.#isFailed = true
    })
    return written
  }

  /**
   * After a write has failed for its disk, tries another one.
   *
   * @throws Fault database_unavailable while the disk takes none
   */
  async check(write: (unit: (tx: Tx) => Promise<void>) => Promise<void>): Promise<void> {
    if (!this.#isFailed) return
    await write(needSpace)
    this.#isFailed = false
  }
}

/**
 * Needs about a megabyte of new pages, which a full disk refuses even where a row still fits in an old
 * page, and a record in the write-ahead log.
 */
async function needSpace(tx: Tx): Promise<void> {
  const name = 'disk_probe'
  await tx.insertInto('sequences').values({ name, next_value: 0 }).execute()
  await tx.deleteFrom('sequences').where('name', '=', name).execute()
  await sql`create temporary table parley_disk_probe on commit drop as
    select repeat('x', 1900) as filling from generate_series(1, 500)`.execute(tx)
}
