import type { CommerceSettings } from '#features/catalog/index.ts'
import type { CheckoutSession } from '#features/checkout/index.ts'
import { orderDocument } from '#features/orders/index.ts'
import {
  lineTotalsDocument,
  totalsDocument,
  type FulfillmentOption,
  type Message,
  type Quote,
  type QuoteLine,
} from '#features/pricing/index.ts'
import type { Context } from '#platform/context.ts'
import { supportedVersions } from './dialect.ts'
import { discountRefusal, messageDocument } from './message-text.ts'

/** The protocol's names for the links in the settings. */
const linkTypes = {
  terms: 'terms_of_use',
  privacy: 'privacy_policy',
  returns: 'return_policy',
  shipping: 'shipping_policy',
  contact: 'contact_us',
  about: 'about_us',
  faq: 'faq',
  support: 'support',
} as const satisfies Record<keyof CommerceSettings['links'], string>

/** A session in the form of the protocol's CheckoutSession, which allows no other fields. */
export function sessionDocument(
  ctx: Pick<Context, 'config' | 'payments'>,
  session: CheckoutSession,
) {
  const { choices, quote } = session
  return {
    id: session.id,
    protocol: { version: supportedVersions[0] },
    capabilities: capabilities(ctx),
    ...present('buyer', choices.buyer),
    status: session.status,
    currency: session.currency,
    ...present('locale', choices.locale),
    ...present('timezone', choices.timezone),
    line_items: quote.lines.map((line) => lineItem(line, quote)),
    ...present('fulfillment_details', choices.fulfillmentDetails),
    fulfillment_options: quote.options.map((option) => fulfillmentOption(option)),
    selected_fulfillment_options: selections(quote),
    totals: totalsDocument(quote.totals),
    messages: messages(session).map(messageDocument),
    links: linkList(quote.links ?? {}),
    ...discounts(quote, session.currency),
    ...authentication(session),
    created_at: iso(session.createdAt),
    updated_at: iso(session.updatedAt),
    expires_at: iso(session.expiresAt),
    ...present('metadata', choices.metadata),
    ...(session.order === null ? {} : { order: orderDocument(ctx, session.order) }),
  }
}

function capabilities({ payments }: Pick<Context, 'payments'>) {
  return {
    payment: { handlers: payments.handlers },
    interventions: { supported: ['3ds'], required: [], enforcement: 'conditional' },
    extensions: [{ name: 'discount' }],
  }
}

/** Only an open session can have something missing. */
function messages({ status, choices, quote }: CheckoutSession): readonly Message[] {
  const isOpen = status === 'not_ready_for_payment' || status === 'ready_for_payment'
  if (status !== 'authentication_required')
    return [...choices.notices, ...(isOpen ? quote.messages : [])]
  const by = typeof choices.authentication?.continueUrl === 'string' ? 'page' : 'agent'
  const param = '$.authentication_result'
  return [{ type: 'error', code: 'authentication_asked', param, facts: { by } }]
}

function lineItem(line: QuoteLine, { totals }: Quote) {
  const { id, productId, name, description, images, unitAmount, sku, category } = line
  return {
    id,
    item: { id: productId, name, unit_amount: unitAmount },
    quantity: line.quantity,
    name,
    ...(description === '' ? {} : { description }),
    ...(images.length === 0 ? {} : { images }),
    unit_amount: unitAmount,
    product_id: productId,
    ...present('sku', sku),
    ...present('category', category),
    availability_status: line.availability,
    ...present('available_quantity', line.available),
    totals: lineTotalsDocument(line, totals.taxIncluded),
  }
}

function fulfillmentOption(option: FulfillmentOption) {
  const { type, id, title, description, amount, carrier, earliest, latest, location } = option
  return {
    type,
    id,
    title,
    ...(description === '' ? {} : { description }),
    ...present('carrier', carrier),
    ...(earliest === null ? {} : { earliest_delivery_time: iso(earliest) }),
    ...(latest === null ? {} : { latest_delivery_time: iso(latest) }),
    ...(location === null ? {} : { location, pickup_type: 'in_store' }),
    totals: [{ type: 'total', display_text: title, amount }],
  }
}

function selections({ selections, lines }: Quote) {
  return selections.map(({ type, optionId }) => ({
    type,
    option_id: optionId,
    item_ids: lines.filter((line) => line.fulfillmentType === type).map(({ id }) => id),
  }))
}

function discounts({ discounts: { codes, applied, rejected } }: Quote, currency: string) {
  if (codes.length === 0) return {}
  return {
    discounts: {
      codes,
      applied: applied.map(({ code, amount, allocations, discount }) => ({
        id: `discount-${code}`,
        code,
        coupon: {
          id: code,
          name: discount.name,
          ...present('percent_off', discount.percent_off ?? null),
          ...(discount.amount_off === undefined
            ? {}
            : { amount_off: discount.amount_off, currency }),
        },
        amount,
        method: 'across',
        allocations: allocations.map((part, index) => ({
          path: `$.line_items[${index}]`,
          amount: part,
        })),
      })),
      rejected: rejected.map(({ code, reason }) => ({
        code,
        reason,
        message: discountRefusal(reason, code),
      })),
    },
  }
}

function authentication({ status, choices }: CheckoutSession) {
  if (status !== 'authentication_required' || choices.authentication === null) return {}
  const { continueUrl, metadata } = choices.authentication
  return {
    ...present('authentication_metadata', metadata),
    ...present('continue_url', continueUrl),
  }
}

function linkList(links: CommerceSettings['links']) {
  return Object.entries(linkTypes).flatMap(([name, type]) => {
    // The keys of linkTypes are those of the links.
    const url = links[name as keyof typeof linkTypes]
    return url === undefined ? [] : [{ type, url }]
  })
}

/** A field that the protocol omits when it has no value. */
function present<Name extends string, Value>(name: Name, value: Value | null) {
  // The object has only this key.
  return (value === null ? {} : { [name]: value }) as { readonly [K in Name]?: Value }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
