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
import { readBody } from './request-body.ts'
import { isObject } from '#kernel/json.ts'
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

/** The fields that create and update share; null clears a field. */
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

/** Clients from before API-Version was required: `items`, in the protocol's format. */
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
      // The protocol allows any code: an unknown one counts as `other`.
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

/** The validated bodies, for the contract. Older formats are converted to these first. */
export const checkoutBodies = {
  create: { plain: plainCreate, strict: strictCreate },
  update: { plain: plainUpdate, strict: update },
  cancel,
} as const

/** @throws Fault field_missing, field_invalid */
export function readCreate(body: unknown, dialect: Dialect): NewCheckout {
  const read = createBody(body, dialect)
  return { ...choices(read), items: read.line_items.map(requested), currency: read.currency }
}

function createBody(body: unknown, dialect: Dialect) {
  if (dialect === 'strict') return readBody(strictCreate, modernShape(body))
  if (isFirstRelease(body)) return readBody(firstCreate, modernShape(body))
  // The interface's own shape decides; other fields of the protocol may accompany it.
  return readBody(plainCreate, withoutItems(body))
}

/** @throws Fault field_missing, field_invalid */
export function readUpdate(body: unknown, dialect: Dialect): CheckoutChange {
  const read =
    dialect === 'plain' && isInterfaceShape(body)
      ? readBody(plainUpdate, withoutItems(body))
      : readBody(update, modernShape(body))
  return { ...choices(read), ...given('items', read.line_items?.map(requested)) }
}

/** @throws Fault field_invalid */
export function readCancel(body: unknown): IntentTrace | null {
  return readBody(cancel, body).intent_trace ?? null
}

/** Converts older formats of everything except the items, which the interface fixes. */
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

/** Absent fields are unchanged, null clears them. */
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
  // The object has only this key.
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: Value }
}

type Item = z.output<typeof plainItem> | z.output<typeof strictItem>

function requested(item: Item, index: number): RequestedItem {
  const [field, id] = 'product_id' in item ? ['product_id', item.product_id] : ['id', item.id]
  const param = `$.line_items[${index}].${field}`
  return { productId: id.toLowerCase(), quantity: item.quantity, param }
}
