import {
  maxQuantity,
  peekShelf,
  requireShop,
  shelfState,
  type ShelfState,
} from '#features/catalog/index.ts'
import {
  mergeItems,
  type CartItem,
  type Choices,
  type ChoicesPatch,
} from '#features/pricing/index.ts'
import { daySeconds } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { readiness } from './assess.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import { openUntil, sessionRow, type CheckoutSession, type ShopCaller } from './checkout-session.ts'
import { quoteWithOptions } from './choose-options.ts'
import { carryOutOnce, type Answer, type RepeatableRequest } from './idempotency.ts'
import { insertOnce } from './insert-once.ts'
import { insertSession } from './session-store.ts'

export interface NewCheckout extends ChoicesPatch {
  readonly items: readonly RequestedItem[]
  /** Defaults to the currency of the items. */
  readonly currency?: string | undefined
}

/** An item and its place in the request. */
export interface RequestedItem extends CartItem {
  readonly param: string
}

/**
 * Opens a checkout. A new session changes nothing else, so it is first tried as one statement, which
 * shares its commit with those of other requests (docs/decisions/0036).
 *
 * @throws Fault item_unknown, quantity_too_large, currency_mismatch, currencies_mixed,
 *   fulfillment_option_unknown, fulfillment_option_ambiguous, fulfillment_options_conflict,
 *   idempotency_conflict, idempotency_in_flight, checkouts_limited
 */
export async function createCheckout(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'limits'>,
  caller: ShopCaller,
  input: NewCheckout,
  request: RepeatableRequest | null,
): Promise<Answer> {
  const productIds = productIdsOf(input.items)
  const open = (shelf: ShelfState, now: number) => newSession(ctx, caller, input, shelf, now)
  const created = await insertOnce(
    ctx,
    caller.keyId,
    request,
    async (now) => open(await peekShelf(ctx.db, caller, productIds), now),
    () => requireWithinLimit(ctx, caller.workspaceId),
  )
  if (created !== null) return { session: created, replayed: false }
  return await carryOutOnce(ctx, caller.keyId, request, async (tx, now) => {
    await requireShop(tx, caller.agentId)
    const session = open(await shelfState(tx, caller, productIds), now)
    // On PostgreSQL, counting is a statement of its own, which a unit refuses. There, insertOnce has
    // counted the session, unless it could not be opened until just now.
    if (ctx.db.engine === 'sqlite') await requireWithinLimit(ctx, caller.workspaceId)
    await insertSession(tx, sessionRow(session))
    return session
  })
}

/**
 * Bounds the rows of checkouts, which stay open for a limited time, and of orders. Counted in blocks:
 * counting rows would take longer with each of them. Called for a session that is about to be stored:
 * replays and refusals do not count.
 */
async function requireWithinLimit(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  workspaceId: string,
): Promise<void> {
  const { checkoutsPerDay: limit } = config
  if (limit === null) return
  const window = { limit, windowSeconds: daySeconds }
  const verdict = await limits.consumeInBlocks(`checkouts:${workspaceId}`, window)
  const { allowed, retryAfterSeconds } = verdict
  if (!allowed) throw new Fault(faults.checkouts_limited, { limit, retryAfterSeconds })
}

function newSession(
  ctx: Pick<Context, 'config'>,
  { keyId, workspaceId, agentId }: ShopCaller,
  input: NewCheckout,
  shelf: ShelfState,
  now: number,
): CheckoutSession {
  requireOnSale(shelf, input.items)
  const currency = chooseCurrency(input, shelf)
  const basis = { currency, quote: null }
  const { choices, quote } = quoteWithOptions(
    shelf,
    basis,
    newChoices(input),
    input.selections,
    now,
  )
  return {
    id: newId(now),
    workspaceId,
    agentId,
    keyId,
    status: readiness(quote),
    currency,
    choices,
    quote,
    paymentId: null,
    orderId: null,
    order: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: openUntil(ctx, now),
  }
}

export function productIdsOf(items: readonly CartItem[]): string[] {
  return items.map(({ productId }) => productId)
}

/** @throws Fault item_unknown, quantity_too_large */
export function requireOnSale({ products }: ShelfState, items: readonly RequestedItem[]): void {
  for (const { productId, param } of items)
    if (products.get(productId)?.active !== true)
      throw new Fault(faults.item_unknown, { item: productId, param })
  for (const { productId, quantity } of mergeItems(items)) {
    const param = items.find((item) => item.productId === productId)?.param ?? '$.line_items'
    if (quantity > maxQuantity)
      throw new Fault(faults.quantity_too_large, { item: productId, param, most: maxQuantity })
  }
}

/** A checkout has one currency: that of all its items, which must match the requested one. */
function chooseCurrency(
  { items, currency: requested }: NewCheckout,
  { products, settings }: ShelfState,
): string {
  const currencies = new Set(items.map(({ productId }) => products.get(productId)?.currency))
  const [currency = settings.currency, another] = currencies
  if (another !== undefined) throw new Fault(faults.currencies_mixed, { param: '$.line_items' })
  if (requested !== undefined && requested !== currency)
    throw new Fault(faults.currency_mismatch, { param: '$.currency', currency, requested })
  return currency
}

function newChoices(input: NewCheckout): Choices {
  return {
    items: mergeItems(input.items),
    buyer: input.buyer ?? null,
    fulfillmentDetails: input.fulfillmentDetails ?? null,
    selections: [],
    discountCodes: input.discountCodes ?? [],
    locale: input.locale ?? null,
    timezone: input.timezone ?? null,
    metadata: input.metadata ?? null,
    orderNotes: input.orderNotes ?? null,
    notices: [],
    authentication: null,
  }
}
