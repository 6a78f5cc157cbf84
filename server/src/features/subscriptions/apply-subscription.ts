import { z } from 'zod'
import { recordSystemEvent } from '#features/audit/index.ts'
import { applyPlan, findPlan } from '#features/credits/index.ts'
import type { SubscriptionState } from '#platform/billing/billing.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  findByCustomer,
  findSubscriptionRow,
  saveSubscription,
  type SubscriptionRow,
} from './subscription-store.ts'

export type SubscriptionContext = Pick<Context, 'clock' | 'config' | 'log' | 'jobs'>

/** For `endExtraSubscription`. */
export const extraSubscriptionTicket = {
  kind: 'billing.end_extra_subscription',
  input: z.object({ workspaceId: z.string(), subscriptionId: z.string() }),
}

/**
 * A step: puts a workspace on the plan that it pays for, or on the default plan when it stops paying.
 * A state that was requested before the stored one is ignored. A second plan bought beside a paid one
 * changes nothing; a job ends it.
 */
export async function applySubscription(
  tx: Tx,
  ctx: SubscriptionContext,
  state: SubscriptionState,
  askedAt: number,
): Promise<void> {
  const workspaceId =
    state.workspaceId ?? (await findByCustomer(tx, state.customerId))?.workspace_id ?? null
  const current = workspaceId === null ? undefined : await findPlan(tx, workspaceId)
  if (workspaceId === null || current === undefined) {
    ctx.log.warn({ subscriptionId: state.id }, 'a subscription belongs to no workspace')
    return
  }
  const known = await findSubscriptionRow(tx, workspaceId)
  if (known !== undefined && isExtra(known, state)) {
    const input = { workspaceId, subscriptionId: state.id }
    await ctx.jobs.enqueue(tx, extraSubscriptionTicket, input, { key: state.id, workspaceId })
    return
  }
  if (known !== undefined && !isNews(known, state, askedAt)) return
  const paid = state.isLive ? state.plan : null
  await saveSubscription(tx, {
    workspace_id: workspaceId,
    customer_id: state.customerId,
    subscription_id: state.id,
    status: state.status,
    plan: paid,
    period_starts_at: state.periodStartsAt,
    period_ends_at: state.periodEndsAt,
    cancels_at: state.cancelsAt,
    created_at: known?.created_at ?? ctx.clock.now(),
    updated_at: askedAt,
  })
  // A plan that an operator gave stays if the workspace never paid for one.
  if (paid === null && (known?.plan ?? null) === null) return
  const plan = paid ?? ctx.config.defaultPlan
  await applyPlan(tx, ctx, workspaceId, { plan, isOwn: paid !== null })
  if (plan === current) return
  await recordSystemEvent(tx, ctx.clock.now(), {
    workspaceId,
    action: 'billing.change_plan',
    target: workspaceId,
    before: { plan: current },
    after: { plan },
    detail: { subscription_id: state.id, status: state.status },
  })
}

function isNews(known: SubscriptionRow, state: SubscriptionState, askedAt: number): boolean {
  if (known.subscription_id === state.id) return askedAt >= known.updated_at
  // Of two subscriptions the paid one counts; the other has events of its own.
  return known.plan === null || (state.isLive && askedAt >= known.updated_at)
}

/**
 * True if it was bought on our checkout page while another one is paid. A subscription that the
 * operator created at the provider names no workspace: it replaces the other.
 */
function isExtra(known: SubscriptionRow, state: SubscriptionState): boolean {
  const isOther = known.plan !== null && known.subscription_id !== state.id
  return isOther && state.isLive && state.workspaceId !== null
}
