import { z } from 'zod'
import { dayMs } from '#kernel/durations.ts'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'

const retryMs = 600_000

/** Creates a backup when the newest one is `BACKUP_EVERY` old, in one process of the service at a time. */
export const backUpDatabase = defineJob({
  kind: 'backups.create',
  input: z.object({}),
  everyMs: dayMs,
  maxAtOnce: 1,
  backoffMs: () => retryMs,
  async run(
    { backups, clock, config, log }: Pick<Context, 'backups' | 'clock' | 'config' | 'log'>,
    _input,
    { signal },
  ) {
    const { backupEvery: everyMs } = config
    if (everyMs === undefined) return
    const begun = clock.now()
    try {
      const newest = await backups.newest()
      // Every start looks. A newest backup of the future is one of a clock that was set back.
      if (newest !== null && newest <= begun && newest + everyMs > begun)
        return { runAgainAt: newest + everyMs }
      log.info('a backup begins')
      const created = await backups.create(begun, signal)
      log.info({ ...created, ms: clock.now() - begun }, 'a backup was created and checked')
    } catch (error) {
      if (!signal.aborted)
        log.error({ err: error }, 'the backup failed; it is retried in ten minutes')
      throw error
    }
    return { runAgainAt: begun + everyMs }
  },
})
