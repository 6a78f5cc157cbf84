import { shelfState, type Shop, type ShelfState } from '#features/catalog/index.ts'
import { isReady, makeQuote, type Choices, type Quote } from '#features/pricing/index.ts'
import type { Reader } from '#platform/db/database.ts'
import type { CheckoutSession } from './checkout-session.ts'
import { isOpen, type CheckoutStatus } from './checkout-status.ts'

/**
 * A step: the current price of the cart; prices, stock, options and tax are read again each time.
 */
export async function requote(
  reader: Reader,
  shop: Pick<Shop, 'workspaceId' | 'agentId'>,
  choices: Choices,
  session: Pick<CheckoutSession, 'currency'> & { readonly quote: Quote | null },
  now: number,
): Promise<Quote> {
  const ids = choices.items.map(({ productId }) => productId)
  return quoteFrom(await shelfState(reader, shop, ids), choices, session, now)
}

/** The price of the cart on this shelf. */
export function quoteFrom(
  { settings, products }: ShelfState,
  choices: Choices,
  { currency, quote: seen }: Pick<CheckoutSession, 'currency'> & { readonly quote: Quote | null },
  now: number,
): Quote {
  return makeQuote(choices, { settings, currency, products, seen, now })
}

export function readiness(quote: Quote): CheckoutStatus {
  return isReady(quote) ? 'ready_for_payment' : 'not_ready_for_payment'
}

/**
 * A step: the current state of the session. An open session is assessed again; a session that waits
 * for authentication keeps waiting.
 */
export async function assess(
  reader: Reader,
  session: CheckoutSession,
  now: number,
): Promise<CheckoutSession> {
  if (!isOpen(session.status)) return session
  const quote = await requote(reader, session, session.choices, session, now)
  const waits = session.status === 'authentication_required'
  return { ...session, quote, status: waits ? session.status : readiness(quote) }
}
