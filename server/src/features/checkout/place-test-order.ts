import { createAgentKey, listAgentKeys, revokeAgentKey } from '#features/api-keys/index.ts'
import {
  getProduct,
  listProductsOnSale,
  shopSettings,
  type Product,
} from '#features/catalog/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import { getOrder, type Order } from '#features/orders/index.ts'
import { commonFaults, defineFaults, Fault, withFacts } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { CheckoutSession, ShopCaller } from './checkout-session.ts'
import { completeCheckout } from './complete-session.ts'
import { createCheckout } from './create-session.ts'
import type { SettleContext } from './settle-charge.ts'
import { updateCheckout } from './update-session.ts'

export const testOrderFaults = defineFaults({
  /** The reason is written for people. */
  test_order_refused: withFacts<{ reason: string }>('conflict'),
})

type TestOrderContext = SettleContext & Pick<Context, 'db' | 'limits'>

interface Buyer {
  readonly userId: string
  readonly workspaceId: string
}

/**
 * Buys one product as a shopping agent does: opens a checkout, chooses a delivery, pays with a test
 * payment. The order, its stock and its webhooks are those of a sale.
 *
 * @param productId by default the newest product that is for sale
 * @throws Fault record_not_found, test_order_refused, limit_reached, checkouts_limited
 */
export async function placeTestOrder(
  ctx: TestOrderContext,
  buyer: Buyer,
  appId: string,
  productId?: string,
): Promise<Order> {
  if (ctx.payments.provider !== 'test') throw refused('payments are real')
  const { workspaceId } = buyer
  const { id: agentId } = await requireAgent(ctx.db.read, workspaceId, appId)
  const product = await productToOrder(ctx, workspaceId, agentId, productId)
  const caller = { keyId: await checkoutKey(ctx, buyer, agentId), workspaceId, agentId }
  const session = await openCheckout(ctx, caller, product)
  const payment = { credential: null, authentication: null, handlerId: null }
  const paid = await completeCheckout(ctx, caller, session.id, payment, null)
  const { orderId, quote } = paid.session
  if (orderId !== null) return await getOrder(ctx, workspaceId, orderId)
  const obstacles = quote.messages.map(({ code }) => code.replaceAll('_', ' '))
  throw refused(`the checkout reports ${obstacles.join(', ')}`)
}

function refused(reason: string): Fault {
  return new Fault(testOrderFaults.test_order_refused, { reason })
}

async function productToOrder(
  ctx: TestOrderContext,
  workspaceId: string,
  agentId: string,
  productId: string | undefined,
): Promise<Product> {
  if (productId !== undefined) {
    const product = await getProduct(ctx, workspaceId, productId)
    if (product.agentId !== agentId) throw new Fault(commonFaults.record_not_found)
    return product
  }
  const { items } = await listProductsOnSale(ctx, { workspaceId, agentId }, { limit: 100 })
  const product = items.find(({ stock }) => stock !== 0)
  if (product === undefined) throw refused('no product is for sale and in stock')
  return product
}

/** A checkout needs a key: one of the agent's, or else a new one that is revoked at once. */
async function checkoutKey(ctx: TestOrderContext, buyer: Buyer, appId: string): Promise<string> {
  const kind = 'acp'
  const { items } = await listAgentKeys(ctx, buyer.workspaceId, { kind, appId }, { limit: 1 })
  const [known] = items
  if (known !== undefined) return known.id
  const { id } = await createAgentKey(ctx, buyer, { kind, appId, name: 'Test order' })
  await revokeAgentKey(ctx, buyer.workspaceId, kind, id)
  return id
}

/** A checkout with an address that the shop delivers to, and the first of several deliveries. */
async function openCheckout(
  ctx: TestOrderContext,
  caller: ShopCaller,
  { id: productId, currency }: Product,
): Promise<CheckoutSession> {
  const { shipping_options: options } = await shopSettings(ctx.db.read, caller)
  const country = options[0]?.countries?.[0] ?? 'US'
  const name = 'Test Buyer'
  const place = { line_one: '1 Test Street', city: 'Test Town', state: '', postal_code: '10001' }
  const cart = {
    items: [{ productId, quantity: 1, param: '$.line_items[0]' }],
    currency,
    buyer: { full_name: name, email: 'test-buyer@example.com' },
    fulfillmentDetails: { name, address: { name, ...place, country } },
  }
  const { session } = await createCheckout(ctx, caller, cart, null)
  const decided = new Set(session.quote.selections.map(({ type }) => type))
  const open = session.quote.options.filter(
    ({ type }, index, all) =>
      !decided.has(type) && all.findIndex((one) => one.type === type) === index,
  )
  if (open.length === 0) return session
  const selections = open.map(({ type, id }) => ({ type, optionId: id, param: '$' }))
  return (await updateCheckout(ctx, caller, session.id, { selections }, null)).session
}
