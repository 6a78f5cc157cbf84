import { reserveStock, returnStock } from '#features/catalog/index.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CheckoutSession } from './checkout-session.ts'

/**
 * A step: takes what the session is about to be paid for.
 *
 * @returns false, and takes nothing, when something is short
 */
export async function takeStock(tx: Tx, session: CheckoutSession): Promise<boolean> {
  const short = await reserveStock(tx, session.agentId, session.quote.lines)
  return short.length === 0
}

/**
 * A step: the same where the session was assessed in this very unit, so that nothing can be short.
 *
 * @throws Error when something is nevertheless
 */
export async function takeAssessedStock(tx: Tx, session: CheckoutSession): Promise<void> {
  if (!(await takeStock(tx, session))) throw new Error('what was in stock is gone within one unit')
}

/** A step: gives the stock back, because no payment came of it. */
export async function giveStockBack(tx: Tx, session: CheckoutSession): Promise<void> {
  await returnStock(tx, session.agentId, session.quote.lines)
}
