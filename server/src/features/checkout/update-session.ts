import { shelfState } from '#features/catalog/index.ts'
import { mergeItems, type Choices, type ChoicesPatch } from '#features/pricing/index.ts'
import type { Context } from '#platform/context.ts'
import { readiness } from './assess.ts'
import { giveUpCharge } from './begin-charge.ts'
import { moved, openUntil, type ShopCaller } from './checkout-session.ts'
import { requireMove } from './checkout-status.ts'
import { quoteWithOptions } from './choose-options.ts'
import { productIdsOf, requireOnSale, type RequestedItem } from './create-session.ts'
import { requireSession, saveSession } from './get-session.ts'
import { carryOutOnce, type Answer, type RepeatableRequest } from './idempotency.ts'

export interface CheckoutChange extends ChoicesPatch {
  /** Replaces all items. */
  readonly items?: readonly RequestedItem[]
}

/**
 * Changes the buyer's decisions; the whole session is assessed again.
 *
 * @throws Fault session_not_found, session_completed, session_canceled, session_expired,
 *   payment_in_progress, item_unknown, quantity_too_large, fulfillment_option_unknown,
 *   fulfillment_option_ambiguous, fulfillment_options_conflict, idempotency_conflict, idempotency_in_flight
 */
export function updateCheckout(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'jobs'>,
  caller: ShopCaller,
  id: string,
  change: CheckoutChange,
  request: RepeatableRequest | null,
): Promise<Answer> {
  return carryOutOnce(ctx, caller.keyId, request, async (tx, now) => {
    const session = await requireSession(tx, caller, id, now)
    requireMove(session.status, 'update')
    const patched = patchChoices(session.choices, change)
    const shelf = await shelfState(tx, caller, productIdsOf(patched.items))
    if (change.items !== undefined) requireOnSale(shelf, change.items)
    const decided = quoteWithOptions(shelf, session, patched, change.selections, now)
    // A charge that waits for authentication was for the earlier state of the session.
    if (session.status === 'authentication_required') await giveUpCharge(ctx, tx, session, now)
    return await saveSession(
      tx,
      moved(session, 'update', {
        status: readiness(decided.quote),
        ...decided,
        updatedAt: now,
        expiresAt: openUntil(ctx, now),
      }),
    )
  })
}

export function patchChoices(choices: Choices, change: CheckoutChange): Choices {
  const { items, selections, discountCodes, ...fields } = change
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  )
  return {
    ...choices,
    ...given,
    ...(items === undefined ? {} : { items: mergeItems(items) }),
    ...(discountCodes === undefined ? {} : { discountCodes: discountCodes ?? [] }),
    ...(selections === null ? { selections: [] } : {}),
    notices: [],
    authentication: null,
  }
}
