import { reserveStock, returnStock } from '#features/catalog/index.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CheckoutSession } from './checkout-session.ts'

/**
 * A step: takes the stock for a session that is about to be paid.
 *
 * @returns false, and takes nothing, when something is short
 */
export async function takeStock(tx: Tx, session: CheckoutSession): Promise<boolean> {
  const short = await reserveStock(tx, session.agentId, session.quote.lines)
  return short.length === 0
}

/**
 * A step: takes the stock of a session that was assessed in this unit, so nothing can be missing.
 *
 * @throws Error when something is nevertheless
 */
export async function takeAssessedStock(tx: Tx, session: CheckoutSession): Promise<void> {
  if (!(await takeStock(tx, session))) throw new Error('what was in stock is gone within one unit')
}

/** A step: returns the stock after a failed payment. */
export async function giveStockBack(tx: Tx, session: CheckoutSession): Promise<void> {
  await returnStock(tx, session.agentId, session.quote.lines)
}
