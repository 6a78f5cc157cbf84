import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { listExpired } from './upload-store.ts'
import { eraseUpload } from './uploads.ts'

const filesAtOnce = 100

/** Deletes uploaded files that have expired, were being deleted, or never arrived completely. */
export const expireUploads = defineJob({
  kind: 'files.expire',
  input: z.object({}),
  everyMs: 60 * 60_000,
  maxAtOnce: 1,
  async run({ db, clock, log }: Pick<Context, 'db' | 'clock' | 'log'>, _input, { signal }) {
    let deleted = 0
    for (let last = filesAtOnce; last === filesAtOnce && !signal.aborted;) {
      const ids = await listExpired(db.read, clock.now(), filesAtOnce)
      for (const id of ids) await eraseUpload({ db }, id)
      last = ids.length
      deleted += last
    }
    if (deleted > 0) log.info({ deleted }, 'deleted uploaded files that had expired')
  },
})
