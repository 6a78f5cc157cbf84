import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { sweepSessions } from './sessions.ts'

export const identityJobs = [
  defineJob({
    kind: 'identity.sweep_sessions',
    input: z.object({}),
    everyMs: 60 * 60 * 1000,
    run: (ctx: Context) => sweepSessions(ctx),
  }),
]
