import { sql, type Expression, type SqlBool } from 'kysely'
import type { Context } from '#platform/context.ts'
import type { Schema } from '#platform/db/schema.ts'

/** Rows that are deleted at their end, or some days after it. */
export interface Pruned {
  readonly table: keyof Schema
  /** The columns of its primary key, if it is not `id`. */
  readonly key?: readonly string[]
  /** Null for rows that nothing needs once they have ended. */
  readonly days:
    | keyof Pick<Context['config'], 'endedRecordDays' | 'endedCheckoutDays' | 'webhookDeliveryDays'>
    | null
  /** Which rows ended before a time and are referred to by no other row. Each has an index. */
  where(endedBefore: number): Expression<SqlBool>
}

/** In this order, because rows are kept while others refer to them. */
export const prunePlan: readonly Pruned[] = [
  {
    table: 'webhook_deliveries',
    days: 'webhookDeliveryDays',
    where: (before) => sql`status <> 'pending' and created_at < ${before}`,
  },
  {
    table: 'webhook_endpoints',
    days: 'endedRecordDays',
    where: (before) => sql`deleted_at < ${before} and not exists (
      select 1 from webhook_deliveries where endpoint_id = webhook_endpoints.id
    )`,
  },
  {
    table: 'payments',
    days: 'endedCheckoutDays',
    // Refunds stay with their order, whose document names them.
    where: (before) =>
      sql`kind = 'charge' and status in ('declined', 'voided') and updated_at < ${before}`,
  },
  {
    table: 'checkout_sessions',
    days: 'endedCheckoutDays',
    // A charge that came late, and its refund, keep their session.
    where: (before) => sql`status in ('canceled', 'expired') and updated_at < ${before}
      and not exists (select 1 from payments where session_id = checkout_sessions.id)`,
  },
  {
    table: 'api_keys',
    days: 'endedRecordDays',
    where: (before) => sql`(revoked_at < ${before} or expires_at < ${before}) and not exists (
      select 1 from checkout_sessions where api_key_id = api_keys.id
    )`,
  },
  {
    table: 'products',
    days: 'endedRecordDays',
    // Orders have copies, and a checkout treats a missing product like a deleted one.
    where: (before) => sql`deleted_at < ${before}`,
  },
  {
    table: 'invitations',
    days: 'endedRecordDays',
    // An accepted or revoked one also expires.
    where: (before) => sql`expires_at < ${before} and not exists (
      select 1 from email_links where invitation_id = invitations.id
    )`,
  },
  {
    table: 'billing_checkouts',
    days: 'endedRecordDays',
    where: (before) => sql`completed_at is null and created_at < ${before}`,
  },
  {
    table: 'joined_visitors',
    key: ['agent_id', 'visitor'],
    days: null,
    where: (before) => sql`ends_at < ${before}`,
  },
]
