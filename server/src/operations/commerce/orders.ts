import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { webUrl } from '#features/catalog/index.ts'
import { placeTestOrder } from '#features/checkout/index.ts'
import {
  fulfillOrder,
  getOrder,
  listOrders,
  orderStatuses,
  refundedMinor,
  type Order,
} from '#features/orders/index.ts'
import { cancelOrder, refundOrder } from '#features/payments/index.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { anAgent, anOrder } from '#operations/acts-on.ts'
import { changes } from '#operations/audited.ts'
import {
  appId,
  defineOperation,
  hints,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'
import { showAs } from '#operations/show-as.ts'

const text = z.string().nullable()
const amount = z.int().describe('In minor units')
const status = z.enum(orderStatuses)

const summary = z.strictObject({
  id: recordId,
  app_id: recordId,
  checkout_session_id: recordId,
  order_number: z.string(),
  status,
  test: z.boolean().describe('True when no money moved'),
  currency: z.string(),
  total_amount: amount,
  refunded_amount: amount,
  buyer_name: text,
  buyer_email: text,
  created_at: timestamp,
  updated_at: timestamp,
})

const shipTo = z.strictObject({
  name: text,
  lines: z.array(z.string()).describe('The address lines'),
  country: z.string(),
  phone: text,
})

const lineItem = z.strictObject({
  id: z.string(),
  product_id: recordId,
  title: z.string(),
  unit_amount: amount,
  quantity: z.int(),
  fulfilled: z.int(),
  delivery: text,
})

const fulfillment = z.strictObject({
  id: recordId,
  type: z.string(),
  line_items: z.array(z.strictObject({ id: z.string(), quantity: z.int() })),
  carrier: text,
  tracking_number: text,
  tracking_url: text,
  created_at: timestamp,
})

const refund = z.strictObject({
  id: recordId,
  amount,
  status: z.string(),
  reason: text,
  created_at: timestamp,
})

const order = summary.extend({
  subtotal_amount: amount,
  discount_amount: amount,
  fulfillment_amount: amount,
  tax_amount: amount,
  notes: text,
  ship_to: shipTo.nullable(),
  line_items: z.array(lineItem),
  fulfillments: z.array(fulfillment),
  refunds: z.array(refund),
})

const namedSummary = showAs(summary)
const showLine = showAs(lineItem)
const showFulfillment = showAs(fulfillment)
const showRefund = showAs(refund)

function showSummary({ buyer, recipient, ...found }: Order) {
  const names = [buyer?.first_name, buyer?.last_name].filter((name) => name !== undefined)
  const name = buyer?.full_name ?? (names.length > 0 ? names.join(' ') : recipient?.name)
  return namedSummary({
    ...found,
    checkoutSessionId: found.sessionId,
    orderNumber: `#${found.number}`,
    test: found.isTest,
    totalAmount: found.totals.total,
    refundedAmount: refundedMinor(found),
    buyerName: name ?? null,
    buyerEmail: buyer?.email ?? recipient?.email ?? null,
  })
}

function show(found: Order) {
  const { totals } = found
  return {
    ...showSummary(found),
    subtotal_amount: totals.subtotal,
    discount_amount: totals.itemsDiscount,
    fulfillment_amount: totals.fulfillment ?? 0,
    tax_amount: totals.tax,
    notes: found.notes,
    ship_to: showRecipient(found),
    line_items: found.lines.map(showLine),
    fulfillments: found.fulfillments.map(({ lines, at, ...sent }) =>
      showFulfillment({ ...sent, lineItems: lines, createdAt: at }),
    ),
    refunds: found.refunds.map(({ amountMinor, at, ...refunded }) =>
      showRefund({ ...refunded, amount: amountMinor, createdAt: at }),
    ),
  }
}

function showRecipient({ recipient }: Order) {
  const address = recipient?.address
  if (address === undefined) return null
  const { line_one, line_two, city, state, postal_code, country } = address
  const place = [city, state, postal_code].filter((part) => part !== '').join(', ')
  return {
    name: address.name === '' ? (recipient?.name ?? null) : address.name,
    lines: [line_one, line_two ?? '', place].filter((line) => line !== ''),
    country,
    phone: recipient?.phone_number ?? null,
  }
}

/** Operations that move money. */
const money = { ...hints.remove, idempotent: false, openWorld: true } as const

export const orderOperations = [
  defineOperation({
    name: 'list_orders',
    title: 'List orders',
    description: 'Lists the orders of an agent, newest first.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: hints.read,
    quotesOthers: true,
    input: z.object({ app_id: appId, status: status.optional(), ...paging }),
    output: listOf(summary),
    actsOn: anAgent,
    run: async (ctx, { workspaceId }, input) =>
      listAnswer(await listOrders(ctx, workspaceId, input.app_id, input), showSummary),
  }),
  defineOperation({
    name: 'get_order',
    title: 'Get order',
    description: 'Shows an order: items, address, fulfillments and refunds.',
    toolset: 'apps',
    scope: 'apps:read',
    hints: hints.read,
    quotesOthers: true,
    input: z.object({ id: recordId }),
    output: order,
    actsOn: anOrder,
    run: async (ctx, { workspaceId }, input) => show(await getOrder(ctx, workspaceId, input.id)),
  }),
  defineOperation({
    name: 'place_test_order',
    title: 'Place test order',
    description:
      'Buys one product with a test payment, as a shopping agent does. Only while payments are in test mode.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: hints.create,
    audit: { notes: ['app_id', 'product_id'], writtenBy: 'verb' },
    quotesOthers: true,
    input: z.object({
      app_id: appId,
      product_id: recordId.optional().describe('default: the newest one for sale'),
    }),
    output: order,
    actsOn: anAgent,
    run: async (ctx, { actor, workspaceId, record }, { app_id, product_id }) => {
      const { id } = await requireAgent(ctx.db.read, workspaceId, app_id)
      await record(id)
      const buyer = { userId: actor.userId, workspaceId }
      return show(await placeTestOrder(ctx, buyer, app_id, product_id))
    },
  }),
  defineOperation({
    name: 'fulfill_order',
    title: 'Fulfill order',
    description: 'Records that items were sent or handed over, and notifies the shopping agent.',
    toolset: 'apps',
    scope: 'apps:write',
    surfaces: peopleOnly,
    hints: { ...hints.update, idempotent: false },
    audit: {
      ...changes('orders', 'id'),
      notes: ['line_items', 'carrier', 'tracking_number'],
    },
    quotesOthers: true,
    input: z.object({
      id: recordId,
      line_items: z
        .array(z.strictObject({ id: z.string().max(100), quantity: z.int().min(1) }))
        .min(1)
        .max(100)
        .optional()
        .describe('default: all that are left'),
      carrier: z.string().max(200).optional(),
      tracking_number: z.string().max(200).optional(),
      tracking_url: webUrl.optional(),
      access_url: webUrl.optional().describe('For a digital delivery'),
      license_key: z.string().max(1000).optional(),
      description: z.string().max(1000).optional(),
    }),
    output: order,
    actsOn: anOrder,
    run: async (ctx, { workspaceId }, { id, line_items: lines, ...sent }) =>
      show(await fulfillOrder(ctx, workspaceId, id, { lines, ...camelKeys(sent) })),
  }),
  defineOperation({
    name: 'refund_order',
    title: 'Refund order',
    description: 'Refunds money through the payment provider, by default all that is left.',
    toolset: 'apps',
    scope: 'apps:write',
    role: 'admin',
    surfaces: peopleOnly,
    hints: money,
    audit: { ...changes('orders', 'id'), notes: ['amount', 'reason'] },
    quotesOthers: true,
    input: z.object({
      id: recordId,
      amount: z.int().min(1).optional().describe('In minor units; default: all that is left'),
      reason: z.string().max(500).optional(),
    }),
    output: order,
    actsOn: anOrder,
    run: async (ctx, { workspaceId }, { id, amount, reason }) =>
      show(await refundOrder(ctx, workspaceId, id, { amountMinor: amount, reason })),
  }),
  defineOperation({
    name: 'cancel_order',
    title: 'Cancel order',
    description:
      'Cancels an order before anything was sent. Refunds the money and restores the stock.',
    toolset: 'apps',
    scope: 'apps:write',
    role: 'admin',
    surfaces: peopleOnly,
    hints: money,
    audit: { ...changes('orders', 'id'), notes: ['reason'] },
    quotesOthers: true,
    input: z.object({ id: recordId, reason: z.string().max(500).optional() }),
    output: order,
    actsOn: anOrder,
    run: async (ctx, { workspaceId }, { id, reason }) =>
      show(await cancelOrder(ctx, workspaceId, id, { reason })),
  }),
]
