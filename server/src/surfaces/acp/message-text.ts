import type { Message, MessageCode } from '#features/pricing/index.ts'
import { say, type Words } from '#kernel/fault-table.ts'
import { formatMoney } from '#kernel/money.ts'

type Facts = NonNullable<Message['facts']>

interface Wording {
  /** The protocol's code where it is not ours. Info messages have none. */
  readonly code?: string
  /** Left out where an agent can continue without the buyer. */
  readonly resolution?: 'requires_buyer_input' | 'requires_buyer_review'
  readonly text: Words<Facts>
}

function money(amount: Facts[string] | undefined, currency: Facts[string] | undefined): string {
  return formatMoney({ amountMinor: Number(amount), currency: String(currency) })
}

const authenticationTexts = {
  page: 'The bank requires the buyer to confirm this payment: have them open continue_url, then read this session again.',
  agent:
    'The bank requires the buyer to authenticate. Complete again with the authentication_result. If that is not possible, send the outcome not_supported; then another payment method can be tried.',
} as const

/** Declines for which another payment method is not the only advice. */
const declineTexts: ReadonlyMap<unknown, string> = new Map([
  [
    'authentication_unavailable',
    'The bank requires the buyer to authenticate but provides no page for it. Nothing was charged: complete again with an authentication_result from the issuer, or with another payment method.',
  ],
  [
    'amount_invalid',
    'The payment provider of this shop cannot charge exactly this total. Nothing was charged. Another payment method does not help: the shop must change its prices.',
  ],
])

/** Every message: its text, or also the fields in which it differs from the defaults. */
const wordings: Record<MessageCode, Words<Facts> | Wording> = {
  buyer_missing: {
    code: 'missing',
    resolution: 'requires_buyer_input',
    text: "The buyer's email address is missing.",
  },
  address_missing: {
    code: 'missing',
    resolution: 'requires_buyer_input',
    text: 'The shipping address is missing.',
  },
  option_missing: {
    code: 'missing',
    resolution: 'requires_buyer_input',
    text: ({ type }) => `Choose one of the fulfillment options for ${String(type)}.`,
  },
  region_restricted: {
    resolution: 'requires_buyer_input',
    text: 'This shop does not ship to that country.',
  },
  no_pickup_location: {
    code: 'unsupported',
    text: 'There is no location where these items can be picked up.',
  },
  out_of_stock: {
    resolution: 'requires_buyer_input',
    text: ({ name }) => `${String(name)} is out of stock.`,
  },
  quantity_exceeded: {
    resolution: 'requires_buyer_input',
    text: ({ name, available }) => `Only ${String(available)} of ${String(name)} are left.`,
  },
  product_gone: {
    code: 'not_found',
    resolution: 'requires_buyer_input',
    text: ({ name }) => `${String(name)} is no longer sold.`,
  },
  currency_changed: {
    code: 'conflict',
    text: ({ name }) => `${String(name)} is now sold in another currency; start a new checkout.`,
  },
  low_stock: ({ name, left }) => `Only ${String(left)} of ${String(name)} are left.`,
  price_change: ({ name, from, to, currency }) =>
    `The price of ${String(name)} changed from ${money(from, currency)} to ${money(to, currency)}.`,
  total_change: {
    code: 'price_change',
    resolution: 'requires_buyer_input',
    text: ({ from, to, currency }) =>
      `The total changed from ${money(from, currency)} to ${money(to, currency)}. Nothing was charged; complete again to accept it.`,
  },
  payment_declined: {
    resolution: 'requires_buyer_input',
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
    text: 'The payment was made when the items could no longer be sold. It is refunded to the buyer.',
  },
  canceled: 'The checkout was canceled.',
  discount_code_expired: ({ code }) => `The code ${String(code)} has expired.`,
  discount_code_invalid: ({ code }) => `The code ${String(code)} is not valid here.`,
  discount_code_already_applied: ({ code }) => `The code ${String(code)} is already applied.`,
  discount_code_combination_disallowed: ({ code }) =>
    `The code ${String(code)} cannot be combined with the others.`,
  discount_code_minimum_not_met: ({ code }) =>
    `The cart is below the minimum for the code ${String(code)}.`,
}

function wordingOf(code: MessageCode): Wording {
  const wording = wordings[code]
  return typeof wording === 'object' ? wording : { text: wording }
}

/** A message in the protocol's form. */
export function messageDocument({ type, code, param, facts = {} }: Message) {
  const { code: protocolCode = code, resolution = 'recoverable', text } = wordingOf(code)
  return {
    type,
    ...(type === 'info' ? {} : { code: protocolCode, resolution }),
    ...(param === undefined ? {} : { param }),
    content_type: 'plain',
    content: say(text, facts),
  }
}

/** Why a discount code was refused, in words. */
export function discountRefusal(reason: MessageCode, code: string): string {
  return say(wordingOf(reason).text, { code })
}
