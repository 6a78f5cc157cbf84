import { z } from 'zod'
import { defineJob } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { sweepExpiredGrants } from './sweep-expired-grants.ts'

export const grantJobs = [
  defineJob({
    kind: 'grants.sweep',
    input: z.object({}),
    everyMs: 60 * 60 * 1000,
    run: (ctx: Context) => sweepExpiredGrants(ctx),
  }),
]
