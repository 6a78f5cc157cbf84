import { z } from 'zod'
import { currencyCode, maxLines, maxQuantity } from '#features/catalog/index.ts'
import type {
  CheckoutChange,
  IntentTrace,
  NewCheckout,
  RequestedItem,
} from '#features/checkout/index.ts'
import { buyer, fulfillmentDetails, type OptionChoice } from '#features/pricing/index.ts'
import { isUuid } from '#kernel/ids.ts'
import type { Dialect } from './dialect.ts'
import { readBody } from './json-path.ts'
import { isObject } from '#surfaces/http/api-request.ts'
import { modernShape } from './older-shapes.ts'

const counted = `must be a whole number from 1 to ${maxQuantity}`
const quantity = z.int(counted).min(1, counted).max(maxQuantity, counted)

/** The interface's line item: both required. */
const plainItem = z.object({
  product_id: z.string().refine(isUuid, 'must be a UUID'),
  quantity,
})

/** The protocol's item, plus the quantity that its schema omits but clients send. */
const strictItem = z.object({ id: z.string(), quantity: quantity.default(1) })

const items = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must not be empty').max(maxLines)

const codes = z.array(z.string().max(100)).max(20)
const deliveryType = z.enum(['shipping', 'digital', 'pickup'])

/** What create and update have in common; null clears. */
const decisions = {
  buyer: buyer.nullish(),
  fulfillment_details: fulfillmentDetails.nullish(),
  selected_fulfillment_options: z
    .array(z.object({ type: deliveryType.optional(), option_id: z.string() }))
    .max(20)
    .nullish(),
  discounts: z.object({ codes: codes.optional() }).nullish(),
  order_notes: z.string().max(5000).nullish(),
}

const about = {
  locale: z.string().max(50).nullish(),
  timezone: z.string().max(100).nullish(),
  metadata: z.record(z.string().max(100), z.unknown()).nullish(),
}

const plainCreate = z.object({
  ...decisions,
  ...about,
  line_items: items(plainItem),
  currency: currencyCode.optional(),
})

const strictCreate = z.object({
  ...decisions,
  ...about,
  line_items: items(strictItem),
  currency: currencyCode,
  capabilities: z.record(z.string(), z.unknown()),
})

/** Clients from before API-Version was demanded: `items`, in the shapes of the protocol. */
const firstCreate = plainCreate.extend({ line_items: items(strictItem) })

const update = z.object({ ...decisions, line_items: items(strictItem).optional() })
const plainUpdate = z.object({ ...decisions, line_items: items(plainItem).optional() })

const reasonCodes = [
  'price_sensitivity',
  'shipping_cost',
  'shipping_speed',
  'product_fit',
  'trust_security',
  'returns_policy',
  'payment_options',
  'comparison',
  'timing_deferred',
] as const

const cancel = z.object({
  intent_trace: z
    .object({
      // Open by design: an unknown code counts as `other`.
      reason_code: z
        .string()
        .transform((code) => reasonCodes.find((known) => known === code) ?? 'other'),
      trace_summary: z.string().max(500).optional(),
      metadata: z
        .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
        .optional(),
    })
    .nullish(),
})

/** The bodies as they are validated, for the contract; older shapes are brought into these first. */
export const checkoutBodies = {
  create: { plain: plainCreate, strict: strictCreate },
  update: { plain: plainUpdate, strict: update },
  cancel,
} as const

/** @throws Fault field_missing, field_invalid */
export function readCreate(body: unknown, dialect: Dialect): NewCheckout {
  if (dialect === 'plain' && isFirstRelease(body)) {
    const read = readBody(firstCreate, modernShape(body))
    return { ...choices(read), items: read.line_items.map(strictRequest), currency: read.currency }
  }
  if (dialect === 'plain') {
    // The interface's own shape decides; what else the protocol has may stand beside it.
    const read = readBody(plainCreate, withoutItems(body))
    return { ...choices(read), items: read.line_items.map(plainRequest), currency: read.currency }
  }
  const read = readBody(strictCreate, modernShape(body))
  return { ...choices(read), items: read.line_items.map(strictRequest), currency: read.currency }
}

/** @throws Fault field_missing, field_invalid */
export function readUpdate(body: unknown, dialect: Dialect): CheckoutChange {
  if (dialect === 'plain' && isInterfaceShape(body)) {
    const { line_items, ...read } = readBody(plainUpdate, withoutItems(body))
    return {
      ...choices(read),
      ...(line_items === undefined ? {} : { items: line_items.map(plainRequest) }),
    }
  }
  const { line_items, ...read } = readBody(update, modernShape(body))
  return {
    ...choices(read),
    ...(line_items === undefined ? {} : { items: line_items.map(strictRequest) }),
  }
}

/** @throws Fault field_invalid */
export function readCancel(body: unknown): IntentTrace | null {
  return readBody(cancel, body).intent_trace ?? null
}

/** Older shapes of everything but the items, which the interface pins. */
function withoutItems(body: unknown): unknown {
  const modern = modernShape(body)
  if (!isObject(body) || !isObject(modern)) return body
  return { ...modern, line_items: body.line_items }
}

function isFirstRelease(body: unknown): boolean {
  return isObject(body) && body.line_items === undefined && Array.isArray(body.items)
}

function isInterfaceShape(body: unknown): boolean {
  if (!isObject(body) || !Array.isArray(body.line_items)) return false
  return body.line_items.some((item) => isObject(item) && 'product_id' in item)
}

type Decisions = Omit<z.output<typeof update>, 'line_items'> & {
  readonly [Name in keyof typeof about]?: z.output<(typeof about)[Name]>
}

/** Absent stays, null clears. */
function choices(read: Decisions): Omit<CheckoutChange, 'items'> {
  const { discounts, selected_fulfillment_options: selected } = read
  return {
    ...given('buyer', read.buyer),
    ...given('fulfillmentDetails', read.fulfillment_details),
    ...given('orderNotes', read.order_notes),
    ...given('locale', read.locale),
    ...given('timezone', read.timezone),
    ...given('metadata', read.metadata),
    ...given('discountCodes', discounts === null ? null : discounts?.codes),
    ...given('selections', selected === null ? null : selected?.map(optionChoice)),
  }
}

function optionChoice(
  { type, option_id }: { readonly type?: OptionChoice['type']; readonly option_id: string },
  index: number,
): OptionChoice {
  const param = `$.selected_fulfillment_options[${index}].option_id`
  return { type, optionId: option_id, param }
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  // One name gives one key.
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: Value }
}

function plainRequest(item: z.output<typeof plainItem>, index: number): RequestedItem {
  const param = `$.line_items[${index}].product_id`
  return { productId: item.product_id.toLowerCase(), quantity: item.quantity, param }
}

function strictRequest(item: z.output<typeof strictItem>, index: number): RequestedItem {
  const param = `$.line_items[${index}].id`
  // Products have UUIDs: anything else names none, and no database is asked.
  return { productId: item.id.toLowerCase(), quantity: item.quantity, param }
}
