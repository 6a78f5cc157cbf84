import type { Message, MessageCode } from '#features/pricing/index.ts'
import { formatMoney } from '#kernel/money.ts'

type Facts = NonNullable<Message['facts']>

interface Wording {
  /** The protocol's code; info messages have none. */
  readonly code: string
  readonly resolution: 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review'
  text(facts: Facts): string
}

const buyer = 'requires_buyer_input' as const
const agent = 'recoverable' as const

function money(amount: Facts[string] | undefined, currency: Facts[string] | undefined): string {
  return formatMoney({ amountMinor: Number(amount), currency: String(currency) })
}

const authenticationTexts = {
  page: 'The bank wants the buyer to confirm this payment: have them open continue_url, then read this session again.',
  agent:
    'The bank wants the buyer to authenticate. Complete again with the authentication_result; with the outcome not_supported, when that cannot be done, another payment method can be tried.',
} as const

/** Declines whose message says more than to use another payment method. */
const declineTexts: ReadonlyMap<unknown, string> = new Map([
  [
    'authentication_unavailable',
    'The bank wants the buyer to authenticate and has no page for it that could be passed on. Nothing was charged: complete again with an authentication_result of the issuer, or with another payment method.',
  ],
  [
    'amount_invalid',
    'The payment provider of this shop cannot charge this total to the last digit. Nothing was charged, and another payment method changes nothing: only the shop can, by its prices.',
  ],
])

/** Every message there is, with the protocol's code and our words. */
const wordings: Record<MessageCode, Wording> = {
  buyer_missing: {
    code: 'missing',
    resolution: buyer,
    text: () => "The buyer's e-mail address is missing.",
  },
  address_missing: {
    code: 'missing',
    resolution: buyer,
    text: () => 'The address to ship to is missing.',
  },
  option_missing: {
    code: 'missing',
    resolution: buyer,
    text: ({ type }) => `Choose one of the fulfillment options for ${String(type)}.`,
  },
  region_restricted: {
    code: 'region_restricted',
    resolution: buyer,
    text: () => 'This shop does not ship to that country.',
  },
  no_pickup_location: {
    code: 'unsupported',
    resolution: agent,
    text: () => 'There is no place to pick these items up.',
  },
  out_of_stock: {
    code: 'out_of_stock',
    resolution: buyer,
    text: ({ name }) => `${String(name)} is out of stock.`,
  },
  quantity_exceeded: {
    code: 'quantity_exceeded',
    resolution: buyer,
    text: ({ name, available }) => `Only ${String(available)} of ${String(name)} are left.`,
  },
  product_gone: {
    code: 'not_found',
    resolution: buyer,
    text: ({ name }) => `${String(name)} is no longer sold.`,
  },
  currency_changed: {
    code: 'conflict',
    resolution: agent,
    text: ({ name }) => `${String(name)} is now sold in another currency; start a new checkout.`,
  },
  low_stock: {
    code: 'low_stock',
    resolution: agent,
    text: ({ name, left }) => `Only ${String(left)} of ${String(name)} are left.`,
  },
  price_change: {
    code: 'price_change',
    resolution: agent,
    text: ({ name, from, to, currency }) =>
      `The price of ${String(name)} changed from ${money(from, currency)} to ${money(to, currency)}.`,
  },
  total_change: {
    code: 'price_change',
    resolution: buyer,
    text: ({ from, to, currency }) =>
      `The total changed from ${money(from, currency)} to ${money(to, currency)}. Nothing was charged; complete again to accept it.`,
  },
  payment_declined: {
    code: 'payment_declined',
    resolution: buyer,
    text: ({ code }) =>
      declineTexts.get(code) ?? 'The payment was declined. Try another payment method.',
  },
  authentication_asked: {
    code: 'requires_3ds',
    resolution: 'requires_buyer_review',
    text: ({ by }) => authenticationTexts[by === 'page' ? 'page' : 'agent'],
  },
  payment_returned: {
    code: 'payment_declined',
    resolution: agent,
    text: () =>
      'The payment was made when the items could no longer be sold. Its money goes back to the buyer.',
  },
  canceled: { code: 'canceled', resolution: agent, text: () => 'The checkout was canceled.' },
  discount_code_expired: {
    code: 'discount_code_expired',
    resolution: agent,
    text: ({ code }) => `The code ${String(code)} has expired.`,
  },
  discount_code_invalid: {
    code: 'discount_code_invalid',
    resolution: agent,
    text: ({ code }) => `The code ${String(code)} is not valid here.`,
  },
  discount_code_already_applied: {
    code: 'discount_code_already_applied',
    resolution: agent,
    text: ({ code }) => `The code ${String(code)} is applied already.`,
  },
  discount_code_combination_disallowed: {
    code: 'discount_code_combination_disallowed',
    resolution: agent,
    text: ({ code }) => `The code ${String(code)} cannot be combined with the others.`,
  },
  discount_code_minimum_not_met: {
    code: 'discount_code_minimum_not_met',
    resolution: agent,
    text: ({ code }) => `The cart is below the minimum for the code ${String(code)}.`,
  },
}

/** A message as the protocol has it. */
export function messageDocument({ type, code, param, facts = {} }: Message) {
  const { code: protocolCode, resolution, text } = wordings[code]
  return {
    type,
    ...(type === 'info' ? {} : { code: protocolCode, resolution }),
    ...(param === undefined ? {} : { param }),
    content_type: 'plain',
    content: text(facts),
  }
}

/** What refused a discount code, in words. */
export function discountRefusal(reason: MessageCode, code: string): string {
  return wordings[reason].text({ code })
}
