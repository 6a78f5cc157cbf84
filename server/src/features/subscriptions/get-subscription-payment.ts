import type { Context } from '#platform/context.ts'
import { findSubscriptionRow } from './subscription-store.ts'

/** A workspace's paid subscription. */
export interface SubscriptionPayment {
  /** The provider's own status. */
  readonly status: string
  readonly periodEndsAt: number | null
  /** Set when it was canceled. */
  readonly endsAt: number | null
}

/** Null if the workspace never paid for a plan. */
export async function getSubscriptionPayment(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
): Promise<SubscriptionPayment | null> {
  const row = await findSubscriptionRow(ctx.db.read, workspaceId)
  if (row === undefined || row.subscription_id === null) return null
  const { status, period_ends_at: periodEndsAt, cancels_at: endsAt } = row
  return { status, periodEndsAt, endsAt }
}
