import type { Job } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'
import { endExtraSubscription } from './end-extra-subscription.ts'
import { syncSubscriptions } from './sync-subscriptions.ts'

export const purchaseJobs: readonly Job<unknown, Context>[] = [
  syncSubscriptions,
  endExtraSubscription,
]
