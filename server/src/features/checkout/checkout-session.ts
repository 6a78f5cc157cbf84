import type { Order } from '#features/orders/index.ts'
import type { Choices, Quote } from '#features/pricing/index.ts'
import { camelKeys, snakeKeys, type CamelKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import {
  isOpen,
  readStatus,
  requireMove,
  type CheckoutMove,
  type CheckoutStatus,
} from './checkout-status.ts'
import type { SessionRow } from './session-store.ts'

/** The owner of a checkout key: it acts for one agent. */
export interface ShopCaller {
  readonly keyId: string
  readonly workspaceId: string
  readonly agentId: string
}

export interface CheckoutSession extends Omit<
  CamelKeys<SessionRow>,
  'apiKeyId' | 'choicesJson' | 'quoteJson' | 'status'
> {
  readonly keyId: string
  readonly status: CheckoutStatus
  readonly choices: Choices
  readonly quote: Quote
  /** Set only in answers about a completed session. */
  readonly order: Order | null
}

/** A session as stored, but expired after its lifetime, even before a job records it. */
export function sessionFromRow(row: SessionRow, now: number): CheckoutSession {
  const { api_key_id, choices_json, quote_json, ...same } = row
  const stored = readStatus(row.status)
  const isOver = isOpen(stored) && row.expires_at <= now
  return {
    ...camelKeys(same),
    keyId: api_key_id,
    status: isOver ? 'expired' : stored,
    // Only sessionRow writes both.
    choices: JSON.parse(choices_json) as Choices,
    quote: JSON.parse(quote_json) as Quote,
    order: null,
  }
}

export function sessionRow(session: CheckoutSession): SessionRow {
  const { keyId, choices, quote, order: _, ...same } = session
  return {
    ...snakeKeys(same),
    api_key_id: keyId,
    choices_json: JSON.stringify(choices),
    quote_json: JSON.stringify(quote),
  }
}

/** The expiry of a session that changes now. */
export function openUntil({ config }: Pick<Context, 'config'>, now: number): number {
  return now + config.checkoutSessionTtlSeconds * 1000
}

/**
 * The session after a move of the table.
 *
 * @throws Fault as requireMove does
 */
export function moved(
  session: CheckoutSession,
  move: CheckoutMove,
  change: Partial<CheckoutSession> & { readonly status: CheckoutStatus },
): CheckoutSession {
  requireMove(session.status, move)
  return { ...session, ...change }
}
