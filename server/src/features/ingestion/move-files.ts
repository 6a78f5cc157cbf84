import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import {
  countMisplaced,
  listMisplaced,
  listObjectsToDelete,
  unlistObject,
} from './file-object-store.ts'
import { DamagedFile, moveFile } from './move-file.ts'

type Ports = Pick<Context, 'db' | 'clock' | 'objects' | 'log' | 'jobs'>

const day = 86_400_000
const minute = 60_000
const filesPerPage = 100
const deletionsPerPage = 100
/** Between two lines in the log about the progress. */
const reportMs = 30_000

/** Moves one file after it was uploaded. */
export const moveNewFile = defineJob({
  kind: 'ingestion.move_file',
  input: z.object({ sourceId: z.string() }),
  maxAtOnce: 2,
  async run(ctx: Ports, { sourceId }, { signal }) {
    await moveFile(ctx, sourceId, signal)
  },
})

/** Moves all files that are not where `FILES_TO` says: after it was changed, and what an outage left. */
export const moveFiles = defineJob({
  kind: 'ingestion.move_files',
  input: z.object({}),
  everyMs: day,
  maxAtOnce: 1,
  async run(ctx: Ports, _input, { signal }) {
    const { db, objects, log, clock } = ctx
    const total = await countMisplaced(db.read, objects.place)
    if (total === 0) return
    const place = objects.place ?? 'the database'
    log.info({ files: total, place }, 'moving files')
    let done = 0
    let reported = clock.now()
    for (let after = ''; ;) {
      const ids = await listMisplaced(db.read, objects.place, { after, limit: filesPerPage })
      for (const id of ids) {
        signal.throwIfAborted()
        if (await moveOrReport(ctx, id, signal)) done += 1
        if (clock.now() - reported < reportMs) continue
        reported = clock.now()
        log.info({ done, files: total }, 'moving files')
      }
      const last = ids.at(-1)
      if (last === undefined) break
      after = last
    }
    log.info({ done, place }, 'files are moved')
  },
})

/** One damaged file must not keep the others from being moved. */
async function moveOrReport(ctx: Ports, sourceId: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await moveFile(ctx, sourceId, signal)
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error
    ctx.log.error({ sourceId }, 'a file is not moved, because its bytes do not match its hash')
    return false
  }
}

/** Deletes the objects of deleted files, and those that no file refers to. */
export const deleteObjects = defineJob({
  kind: 'ingestion.delete_objects',
  input: z.object({}),
  everyMs: minute,
  maxAtOnce: 1,
  async run({ db, clock, objects }: Ports, _input, { signal }) {
    for (;;) {
      const due = await listObjectsToDelete(db.read, clock.now(), deletionsPerPage)
      for (const address of due) {
        signal.throwIfAborted()
        await objects.remove(address)
        await db.write((tx) => unlistObject(tx, address))
      }
      if (due.length < deletionsPerPage) return
    }
  },
})

export const fileJobs = [moveNewFile, moveFiles, deleteObjects]
