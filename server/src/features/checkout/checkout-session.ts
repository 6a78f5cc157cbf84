import type { Order } from '#features/orders/index.ts'
import type { Choices, Quote } from '#features/pricing/index.ts'
import type { Context } from '#platform/context.ts'
import {
  isOpen,
  readStatus,
  requireMove,
  type CheckoutMove,
  type CheckoutStatus,
} from './checkout-status.ts'
import type { SessionRow } from './session-store.ts'

export interface CheckoutSession {
  readonly id: string
  readonly workspaceId: string
  readonly agentId: string
  readonly keyId: string
  readonly status: CheckoutStatus
  readonly currency: string
  readonly choices: Choices
  readonly quote: Quote
  readonly paymentId: string | null
  readonly orderId: string | null
  /** Only where the answer shows it: once the session is completed. */
  readonly order: Order | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number
}

/** A session as stored, but expired as soon as its time is over, whether a job noted it or not. */
export function sessionFromRow(row: SessionRow, now: number): CheckoutSession {
  const stored = readStatus(row.status)
  const isOver = isOpen(stored) && row.expires_at <= now
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    keyId: row.api_key_id,
    status: isOver ? 'expired' : stored,
    currency: row.currency,
    // Both written by sessionRow alone.
    choices: JSON.parse(row.choices_json) as Choices,
    quote: JSON.parse(row.quote_json) as Quote,
    paymentId: row.payment_id,
    orderId: row.order_id,
    order: null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  }
}

export function sessionRow(session: CheckoutSession): SessionRow {
  return {
    id: session.id,
    workspace_id: session.workspaceId,
    agent_id: session.agentId,
    api_key_id: session.keyId,
    status: session.status,
    currency: session.currency,
    choices_json: JSON.stringify(session.choices),
    quote_json: JSON.stringify(session.quote),
    payment_id: session.paymentId,
    order_id: session.orderId,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    expires_at: session.expiresAt,
  }
}

/** Until when a session stays open that changes now. */
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
