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
 * A step: a workspace is on the plan that it pays for; when it pays no more, on the plan of new
 * workspaces. What was asked for earlier than what is known says nothing new. A second plan that was
 * bought beside one that is paid changes nothing, and is looked into.
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
    ctx.log.warn({ subscriptionId: state.id }, 'a subscription of no workspace')
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
  // A plan that somebody else gave stays where nothing was paid for before.
  if (paid === null && (known?.plan ?? null) === null) return
  const plan = paid ?? ctx.config.defaultPlan
  if (plan === current) return
  await applyPlan(tx, ctx, workspaceId, plan)
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
  // Of two subscriptions the one that is paid counts; the other is told by its own events.
  return known.plan === null || (state.isLive && askedAt >= known.updated_at)
}

/**
 * Bought on a page of ours, although another one is paid for. One that the operator made at the
 * provider has no workspace of its own word: it takes the place of the other.
 */
function isExtra(known: SubscriptionRow, state: SubscriptionState): boolean {
  const isOther = known.plan !== null && known.subscription_id !== state.id
  return isOther && state.isLive && state.workspaceId !== null
}
