import { maxQuantity, productsById, requireShop, type Product } from '#features/catalog/index.ts'
import {
  mergeItems,
  type CartItem,
  type Choices,
  type ChoicesPatch,
} from '#features/pricing/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { readiness } from './assess.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import { openUntil, sessionRow, type CheckoutSession, type ShopCaller } from './checkout-session.ts'
import { requoteWithOptions } from './choose-options.ts'
import { carryOutOnce, type Answer, type RepeatableRequest } from './idempotency.ts'
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
 * Opens a checkout.
 *
 * @throws Fault item_unknown, quantity_too_large, currency_mismatch, currencies_mixed,
 *   fulfillment_option_unknown, fulfillment_option_ambiguous, fulfillment_options_conflict,
 *   idempotency_conflict, idempotency_in_flight
 */
export function createCheckout(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  caller: ShopCaller,
  input: NewCheckout,
  request: RepeatableRequest | null,
): Promise<Answer> {
  return carryOutOnce(ctx, caller.keyId, request, async (tx, now) => {
    const shop = await requireShop(tx, caller.agentId)
    const products = await requireOnSale(tx, shop, input.items)
    const currency = chooseCurrency(input, products, shop.settings.currency)
    const { workspaceId, agentId } = caller
    const basis = { workspaceId, agentId, currency, quote: null }
    const decided = newChoices(input)
    const { choices, quote } = await requoteWithOptions(tx, basis, decided, input.selections, now)
    const session: CheckoutSession = {
      id: newId(now),
      workspaceId,
      agentId,
      keyId: caller.keyId,
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
    await insertSession(tx, sessionRow(session))
    return session
  })
}

/** A step: the products of the items, by id. @throws Fault item_unknown, quantity_too_large */
export async function requireOnSale(
  tx: Tx,
  shelf: Pick<ShopCaller, 'workspaceId' | 'agentId'>,
  items: readonly RequestedItem[],
): Promise<ReadonlyMap<string, Product>> {
  const ids = items.map(({ productId }) => productId)
  const products = await productsById(tx, shelf, ids)
  for (const { productId, param } of items)
    if (products.get(productId)?.active !== true)
      throw new Fault(faults.item_unknown, { item: productId, param })
  for (const { productId, quantity } of mergeItems(items)) {
    const param = items.find((item) => item.productId === productId)?.param ?? '$.line_items'
    if (quantity > maxQuantity)
      throw new Fault(faults.quantity_too_large, { item: productId, param, most: maxQuantity })
  }
  return products
}

/** A checkout has one currency: that of all its items, which must match the requested one. */
function chooseCurrency(
  { items, currency: requested }: NewCheckout,
  products: ReadonlyMap<string, Product>,
  agentCurrency: string,
): string {
  const currencies = new Set(items.map(({ productId }) => products.get(productId)?.currency))
  const [currency = agentCurrency, another] = currencies
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
