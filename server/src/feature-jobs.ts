import { expireAuditEvents, partitionAuditLog, sealAuditLog } from '#features/audit/index.ts'
import {
  applyRetention,
  compareUsage,
  finishDeletions,
  rollUpAnalytics,
} from '#features/analytics/index.ts'
import { backUpDatabase } from '#features/backups/index.ts'
import { indexConversations, reindexConversation } from '#features/conversations/index.ts'
import { creditJobs } from '#features/credits/index.ts'
import { checkoutJobs } from '#features/checkout/index.ts'
import { embeddingJobs } from '#features/embeddings/index.ts'
import { renewIndex, tendIndex } from '#features/full-text/index.ts'
import { sweepExpiredGrants } from '#features/grants/index.ts'
import { mailLetter, sweepSessions } from '#features/identity/index.ts'
import { fileJobs, ingestionJobs } from '#features/ingestion/index.ts'
import { mailInvitation } from '#features/members/index.ts'
import { settleRefundInDoubt } from '#features/payments/index.ts'
import { expireUploads } from '#features/files/index.ts'
import { pruneAccounts, pruneEndedRecords } from '#features/pruning/index.ts'
import { endExtraSubscription, syncSubscriptions } from '#features/subscriptions/index.ts'
import { deliverWebhook, sealAddresses } from '#features/webhooks/index.ts'
import { checkDomains, sealLinks } from '#features/visitors/index.ts'
import { purgeWorkspaces } from '#features/workspaces/index.ts'
import type { Job } from '#kernel/job.ts'
import type { Context } from '#platform/context.ts'

/** What the job runner of the service runs. */
export const featureJobs: readonly Job<unknown, Context>[] = [
  rollUpAnalytics,
  compareUsage,
  indexConversations,
  reindexConversation,
  applyRetention,
  finishDeletions,
  ...creditJobs,
  syncSubscriptions,
  endExtraSubscription,
  ...checkoutJobs,
  settleRefundInDoubt,
  deliverWebhook,
  sealAddresses,
  sweepExpiredGrants,
  sweepSessions,
  ...ingestionJobs,
  ...fileJobs,
  ...embeddingJobs,
  renewIndex,
  tendIndex,
  mailInvitation,
  mailLetter,
  checkDomains,
  sealLinks,
  purgeWorkspaces,
  pruneEndedRecords,
  expireUploads,
  pruneAccounts,
  sealAuditLog,
  partitionAuditLog,
  backUpDatabase,
  expireAuditEvents,
]
