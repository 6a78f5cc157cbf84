import { z } from 'zod'
import { dayMs, hourMs, minuteMs } from '#kernel/durations.ts'
import { isFault } from '#kernel/fault.ts'
import { defineJob } from '#kernel/job.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import {
  countMisplaced,
  delayDeletion,
  listMisplaced,
  listObjectsToDelete,
  unlistObject,
} from './file-object-store.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { DamagedFile, moveFile } from './move-file.ts'

type Ports = Pick<Context, 'db' | 'clock' | 'objects' | 'log' | 'jobs' | 'config'>

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
  everyMs: dayMs,
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

/** One damaged or missing file must not keep the others from being moved. */
async function moveOrReport(ctx: Ports, sourceId: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await moveFile(ctx, sourceId, signal)
  } catch (error) {
    const isOfFile =
      error instanceof DamagedFile ||
      isFault(error, ingestionFaults.source_bytes_unavailable) ||
      isFault(error, ingestionFaults.source_bytes_lost)
    if (!isOfFile) throw error
    ctx.log.error({ err: error, sourceId }, 'a file cannot be moved, because it cannot be read')
    return false
  }
}

/** Deletes the objects of deleted files, and those that no file refers to. */
export const deleteObjects = defineJob({
  kind: 'ingestion.delete_objects',
  input: z.object({}),
  everyMs: minuteMs,
  maxAtOnce: 1,
  async run(ctx: Ports, _input, { signal }) {
    const { db, clock } = ctx
    for (;;) {
      const due = await listObjectsToDelete(db.read, clock.now(), deletionsPerPage)
      for (const address of due) {
        signal.throwIfAborted()
        await removeOrDelay(ctx, address)
      }
      if (due.length < deletionsPerPage) return
    }
  },
})

/** An object that the store refuses to delete must not keep the others in it. */
async function removeOrDelay({ db, clock, objects, log }: Ports, address: string): Promise<void> {
  try {
    await objects.remove(address)
    await db.write((tx) => unlistObject(tx, address))
  } catch (error) {
    if (!isNamed(error, 'ObjectStoreError')) throw error
    log.error({ err: error, address }, 'an object cannot be deleted, and is tried again in an hour')
    await db.write((tx) => delayDeletion(tx, address, clock.now() + hourMs))
  }
}

export const fileJobs = [moveNewFile, moveFiles, deleteObjects]
